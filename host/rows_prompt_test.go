package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keylane/host/composition"
	"keylane/host/skill"
)

func TestTheFoldersOfSkillsAreTheRows(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"home/skills", "person/.agents/skills", "variable/skills", "row/skills", "custom", "bundled"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		name := strings.ReplaceAll(strings.ReplaceAll(folder, "/skills", ""), "/.agents", "")
		if err := os.WriteFile(filepath.Join(dir, folder, name+".md"), []byte("---\ndescription: x\n---\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(dir, "person"))
	for _, c := range []struct {
		name, variable, home, patch string
		want                        []string
	}{
		{"as shipped", "", "person", "", []string{"home", "person"}},
		{"with the variable", "variable", "person", "", []string{"home", "variable"}},
		{"with the row", "variable", "person", "agentsHome: " + dir + "/row", []string{"home", "row"}},
		{"with another variable", "variable", "person", "agentsHomeEnv: ''", []string{"home", "person"}},
		{"with all", "", "person", "custom: ['{{home}}/../custom'], bundled: " + dir + "/bundled", []string{"bundled", "custom", "home", "person"}},
		{"without a home folder", "", "", "", []string{"home"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range map[string]string{"KEYLANE_AGENTS_HOME": c.variable, "HOME": c.home} {
				if value != "" {
					value = filepath.Join(dir, value)
				}
				t.Setenv(name, value)
			}
			in, err := boot(t, filepath.Join(dir, "home"), "- {id: skill-filesystem, config: {"+c.patch+"}}\n")
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := in.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}()
			library, _ := composition.Get(in, skill.Service)
			skills, broken := library.List(t.Context(), t.TempDir())
			var got []string
			for _, s := range skills {
				got = append(got, s.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || broken != nil {
				t.Errorf("%s %v", diff, broken)
			}
		})
	}
}

// A row that is there twice is no reason to do without the rest.
func TestASecondRowOfAKindIsToldOfAndStopsNothing(t *testing.T) {
	for plugin, want := range map[string]string{
		"runtime-context": `patch0:1:12: row "again" did not start: `,
		"tool-skill":      `a tool of that name is already registered`,
	} {
		in, err := boot(t, t.TempDir(), "- insert: [{id: again, plugin: "+plugin+"}]\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Report().Problems(); !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %s", plugin, got)
		}
		if err := in.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestARowOfContextThatCannotBeMeantIsRefusedWithItsPlace(t *testing.T) {
	for patch, want := range map[string]string{
		"- {id: agent-instructions, config: {file: AGENTS.md}}\n":  `row "agent-instructions": config: file: it must be an absolute path, or begin with {{home}}`,
		"- {id: agent-instructions, config: {names: [a, ../b]}}\n": `config: names.1: it must be the name of a file`,
		"- {id: agent-instructions, config: {maxBytes: 100}}\n":    `config: maxBytes: it must be at least 1024`,
		"- {id: tool-skill, config: {maxListBytes: 0}}\n":          `config: maxListBytes: it must be at least 1024`,
		"- {id: skill-filesystem, config: {maxFileBytes: 0}}\n":    `config: maxFileBytes: a skill needs at least one byte`,
	} {
		in, err := boot(t, t.TempDir(), patch)
		if err == nil {
			_ = in.Close(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", patch, err)
		}
	}
}
