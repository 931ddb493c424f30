package skill_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	library "keylane/host/skill"
	"keylane/host/tool"
	"keylane/host/tool/skill"
)

// call runs the tool as the agent does, in a project with the files; paths in what comes back begin at the project.
func call(t *testing.T, files map[string]string, arguments string) (text, meta, code string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, ".keylane/skills", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	skills := library.NewLibrary(slog.New(slog.DiscardHandler))
	skills.Add(library.Filesystem{MaxFileBytes: 1000})
	tools := tool.NewRegistry()
	if _, err := tools.Register(skill.New(skills)); err != nil {
		t.Fatal(err)
	}
	if _, asks := tools.Ask(t.Context(), "skill", arguments, tool.Call{Cwd: dir}); asks || !tools.Parallel("skill") {
		t.Error("loading a skill changes nothing, and needs no leave")
	}
	result := tools.Execute(t.Context(), "skill", arguments, tool.Call{Cwd: dir})
	if result.Error != nil {
		code = result.Error.Code
	}
	if result.IsError != (code != "") {
		t.Errorf("%+v", result)
	}
	if len(result.Meta) > 0 && !json.Valid(result.Meta) {
		t.Errorf("%s", result.Meta)
	}
	return strings.ReplaceAll(result.Text, dir, ""), strings.ReplaceAll(string(result.Meta), dir, ""), code
}

func TestASkillIsLoadedWithItsPlace(t *testing.T) {
	files := map[string]string{
		"review/SKILL.md": "---\ndescription: Reviews <changes> & more\n---\n\n# Review\n\nLook closely.\n", "short.md": "---\ndescription: Short\n---\nText\n",
		"empty.md": "---\ndescription: Empty\n---\n", "broken.md": "nothing",
	}
	for _, c := range []struct{ arguments, text, meta, code string }{
		{`{"name":"review"}`,
			"Skill review, from /.keylane/skills/review/SKILL.md. Files it mentions lie in /.keylane/skills/review.\n\n# Review\n\nLook closely.",
			`{"card":"skill","name":"review","description":"Reviews <changes> & more","file":"/.keylane/skills/review/SKILL.md"}`, ""},
		{`{"name":"short"}`, "Skill short, from /.keylane/skills/short.md.\n\nText",
			`{"card":"skill","name":"short","description":"Short","file":"/.keylane/skills/short.md"}`, ""},
		{`{"name":"empty"}`, "Skill empty, from /.keylane/skills/empty.md.\n\n[the skill has no text beyond its description]",
			`{"card":"skill","name":"empty","description":"Empty","file":"/.keylane/skills/empty.md"}`, ""},
		{`{"name":"Review"}`, `Error: there is no such skill as "Review"; available: empty, review, short.`, "", "UNKNOWN_SKILL"},
		{`{"name":"broken"}`, `Error: skill "broken" (/.keylane/skills/broken.md) cannot be used: it does not begin with a front matter: a line of ---, name and description, a line of ---.`, "", "SKILL_UNREADABLE"},
		{`{"name":""}`, "", "", "INVALID_ARGUMENTS"},
		{`{}`, "", "", "INVALID_ARGUMENTS"},
	} {
		text, meta, code := call(t, files, c.arguments)
		if code != c.code || meta != c.meta || c.text != "" && text != c.text {
			t.Errorf("%s:\n%s\n%s\n%s", c.arguments, text, meta, code)
		}
	}
	if text, _, _ := call(t, nil, `{"name":"review"}`); text != `Error: there is no such skill as "review"; there are none.` {
		t.Error(text)
	}
}
