package api

import "context"

// SkillView is a skill that a session's agent can load.
type SkillView struct {
	Name        string `json:"name"`
	Description string `json:"description"` // one line
}

// BrokenSkillView is one that it cannot, and why.
type BrokenSkillView struct {
	Name    string `json:"name"` // "" when not even that is known
	File    string `json:"file"` // absolute path
	Problem string `json:"problem"`
}

// skillList is the value of skill.list: skills by name, broken ones by the rank of their place. Neither is null.
type skillList struct {
	Skills []SkillView       `json:"skills"`
	Broken []BrokenSkillView `json:"broken"`
}

// listSkills reads the files, and resumes nothing.
func (a *API) listSkills(ctx context.Context, _ string, p sessionRef) (skillList, error) {
	cwd, err := a.cwdOf(ctx, p.SessionID)
	if err != nil {
		return skillList{}, err
	}
	list := skillList{Skills: []SkillView{}, Broken: []BrokenSkillView{}}
	skills, broken := a.o.Skills.List(ctx, cwd)
	for _, s := range skills {
		list.Skills = append(list.Skills, SkillView{s.Name, s.Description})
	}
	for _, b := range broken {
		list.Broken = append(list.Broken, BrokenSkillView{b.Name, b.File, b.Problem})
	}
	return list, nil
}
