package skill_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/skill"
)

// places is a project and the person's folders, all on disk.
type places struct {
	t                                           *testing.T
	project, custom, home, agents, bundled, cwd string
	log                                         bytes.Buffer
	library                                     *skill.Library
}

func newPlaces(t *testing.T) *places {
	t.Helper()
	dir := t.TempDir()
	p := &places{t: t, project: filepath.Join(dir, "project"), custom: filepath.Join(dir, "custom"), home: filepath.Join(dir, "home"),
		agents: filepath.Join(dir, "agents"), bundled: filepath.Join(dir, "bundled"), cwd: filepath.Join(dir, "project/deep/down")}
	for _, folder := range []string{p.cwd, filepath.Join(p.project, ".git")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.library = skill.NewLibrary(slog.New(slog.NewTextHandler(&p.log, nil)))
	p.library.Add(skill.Filesystem{MaxFileBytes: 10_000, Folders: []skill.Folder{
		{Dir: p.custom, Rank: skill.RankCustom}, {Dir: p.home, Rank: skill.RankHome}, {Dir: p.agents, Rank: skill.RankAgents}, {Dir: p.bundled, Rank: skill.RankBundled},
	}})
	return p
}

func (p *places) write(path, content string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func says(description string) string {
	return "---\ndescription: " + description + "\n---\nThe body of " + description + ".\n"
}

// listed is what a listing says, one line each.
func (p *places) listed() (skills, broken []string) {
	p.t.Helper()
	found, problems := p.library.List(p.t.Context(), p.cwd)
	for _, s := range found {
		skills = append(skills, s.Name+": "+s.Description)
	}
	for _, b := range problems {
		broken = append(broken, b.Name+": "+b.Problem)
	}
	return skills, broken
}

func TestTheBestRankOfANameWins(t *testing.T) {
	p := newPlaces(t)
	roots := []string{filepath.Join(p.project, ".keylane/skills"), filepath.Join(p.project, ".agents/skills"), p.custom, p.home, p.agents, p.bundled}
	for i, root := range roots {
		for _, name := range []string{"one", "two", "three", "four", "five", "six"}[:i+1] {
			p.write(filepath.Join(root, name, "SKILL.md"), says(fmt.Sprint(name, " of root ", i)))
		}
	}
	for i, root := range roots { // without the better ones the next one wins
		skills, broken := p.listed()
		want := fmt.Sprint("one: one of root ", i)
		if len(broken) > 0 || len(skills) != 6 || !strings.Contains(strings.Join(skills, "\n")+"\n", want+"\n") {
			t.Errorf("without %d roots: %q %q, want %q", i, skills, broken, want)
		}
		if err := os.RemoveAll(filepath.Join(root, "one")); err != nil {
			t.Fatal(err)
		}
		if i < len(roots)-1 {
			continue
		}
		if skills, _ := p.listed(); len(skills) != 5 {
			t.Errorf("%q", skills)
		}
	}
}

func TestASkillIsAFolderOrAFile(t *testing.T) {
	p := newPlaces(t)
	root := filepath.Join(p.project, ".keylane/skills")
	p.write(filepath.Join(root, "folder/SKILL.md"), says("A folder"))
	p.write(filepath.Join(root, "file.md"), says("A file"))
	p.write(filepath.Join(root, "renamed.md"), "---\nname: proper\ndescription: Says its name\n---\n")
	p.write(filepath.Join(root, "deep/er/SKILL.md"), says("Too deep"))
	p.write(filepath.Join(root, "notes.txt"), "not a skill")
	p.write(filepath.Join(root, ".hidden.md"), says("Hidden"))
	skills, broken := p.listed()
	if diff := cmp.Diff([]string{"file: A file", "folder: A folder", "proper: Says its name"}, skills); diff != "" || broken != nil {
		t.Errorf("%s %q", diff, broken)
	}
	s, body, err := p.library.Load(t.Context(), p.cwd, "folder")
	if err != nil || body != "The body of A folder." || s.Folder != filepath.Join(root, "folder") || s.File != filepath.Join(root, "folder/SKILL.md") {
		t.Errorf("%+v %q %v", s, body, err)
	}
	if s, _, err := p.library.Load(t.Context(), p.cwd, "file"); err != nil || s.Folder != "" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestABrokenSkillIsToldOnceAndIsInNobodysWay(t *testing.T) {
	p := newPlaces(t)
	p.write(filepath.Join(p.project, ".keylane/skills/review/SKILL.md"), "no front matter")
	p.write(filepath.Join(p.home, "review.md"), says("Works"))
	p.write(filepath.Join(p.home, "big.md"), says("Big")+strings.Repeat("x", 10_000))
	p.write(filepath.Join(p.home, "bad name.md"), says("Bad"))
	p.write(filepath.Join(p.agents, "alone.md"), "---\nname: alone\n---\n")
	for range 2 {
		skills, broken := p.listed()
		want := []string{
			"review: it does not begin with a front matter: a line of ---, name and description, a line of ---",
			`bad name: its name holds ' '; a name is made of letters, digits and any of -_.:, nothing else`,
			"big: it has 10042 bytes; a skill may have 10000",
			"alone: its front matter has no description",
		}
		if diff := cmp.Diff(want, broken); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"review: Works"}, skills); diff != "" {
			t.Error(diff)
		}
	}
	if n := strings.Count(p.log.String(), "a skill cannot be used"); n != 4 {
		t.Errorf("the log tells of %d:\n%s", n, p.log.String())
	}
	if _, _, err := p.library.Load(t.Context(), p.cwd, "alone"); err == nil || !strings.HasSuffix(err.Error(), "cannot be used: its front matter has no description") {
		t.Error(err)
	}
	_, _, err := p.library.Load(t.Context(), p.cwd, "nobody")
	if !errors.Is(err, skill.ErrUnknown) || err.Error() != `there is no such skill as "nobody"; available: review` {
		t.Error(err)
	}
}

func TestALinkLeadsOutOfThePersonsFoldersButNotOutOfAProject(t *testing.T) {
	p := newPlaces(t)
	elsewhere := t.TempDir()
	p.write(filepath.Join(elsewhere, "mine/SKILL.md"), says("Secret"))
	p.write(filepath.Join(elsewhere, "file.md"), says("Secret too"))
	shared := filepath.Join(p.project, "shared")
	p.write(filepath.Join(shared, "inside.md"), says("Inside"))
	ours := filepath.Join(p.project, ".keylane/skills")
	for _, folder := range []string{ours, p.home, filepath.Join(p.project, ".agents")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		filepath.Join(ours, "mine"):                filepath.Join(elsewhere, "mine"),
		filepath.Join(ours, "file.md"):             filepath.Join(elsewhere, "file.md"),
		filepath.Join(ours, "inside.md"):           "../../shared/inside.md",
		filepath.Join(p.home, "dotfiles"):          filepath.Join(elsewhere, "mine"),
		filepath.Join(p.project, ".agents/skills"): elsewhere,
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	skills, broken := p.listed()
	if diff := cmp.Diff([]string{"dotfiles: Secret", "inside: Inside"}, skills); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"file: a link leads out of the project", "mine: a link leads out of the project",
		": the folder cannot be read: a link leads out of the project",
	}, broken); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderOfVeryManyIsBoundedAndSaysSo(t *testing.T) {
	p := newPlaces(t)
	for i := range 205 {
		p.write(filepath.Join(p.home, strings.Repeat("a", 1+i/26)+string(rune('a'+i%26))+".md"), says("x"))
	}
	skills, broken := p.listed()
	if diff := cmp.Diff([]string{": the folder has 205 entries; the first 200 by name count"}, broken); len(skills) != 200 || diff != "" {
		t.Errorf("%d %s", len(skills), diff)
	}
}

func TestWithoutAFolderThereIsNothingToFind(t *testing.T) {
	p := newPlaces(t)
	p.cwd = filepath.Join(t.TempDir(), "gone")
	if skills, broken := p.listed(); skills != nil || broken != nil {
		t.Errorf("%q %q", skills, broken)
	}
	if _, _, err := p.library.Load(t.Context(), p.cwd, "x"); err == nil || err.Error() != `there is no such skill as "x"; there are none` {
		t.Error(err)
	}
}
