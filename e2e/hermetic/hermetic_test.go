// Package hermetic_test shows that nothing of the machine reaches a model request, a tool or the page: not the environment, not the
// home folder, not a file of instructions lying around. And that there is no network to reach.
package hermetic_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/composition"
	"keylane/scaffold"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "How many keys does a command see?"

// decoy stands in everything that must not get through.
const decoy = "KEYLANE_DECOY"

// skill is a skill that is a decoy.
func skill(from string) string {
	return "---\ndescription: " + decoy + " skill from " + from + "\n---\n"
}

// plant puts decoys into the machine, where an agent host might look without being told to: the environment, and the home folders
// of the person. It returns a folder of skills as an installation brings along.
func plant(t *testing.T) (bundled string) {
	t.Helper()
	home := t.TempDir()
	for file, content := range map[string]string{
		"AGENTS.md": decoy, "CLAUDE.md": decoy, ".keylane/config.yml": decoy, ".keylane/AGENTS.md": decoy,
		".keylane/skills/decoy/SKILL.md": skill("HOME/.keylane"), ".agents/skills/person/SKILL.md": skill("HOME/.agents"),
		"agents/skills/variable/SKILL.md": skill("KEYLANE_AGENTS_HOME"), "bundled/installed/SKILL.md": skill("the installation"),
	} {
		write(t, filepath.Join(home, file), content)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("KEYLANE_HOME", filepath.Join(home, ".keylane"))
	t.Setenv("KEYLANE_AGENTS_HOME", filepath.Join(home, "agents"))
	t.Setenv("DEEPSEEK_API_KEY", decoy+"-key")
	t.Setenv("DEEPSEEK_BASE_URL", "http://127.0.0.1:1/"+decoy)
	return filepath.Join(home, "bundled")
}

// litter puts decoys into the scenario's own folders, where the rows that the lane disables would look.
func litter(t *testing.T) func(scaffold.Folders) error {
	return func(f scaffold.Folders) error {
		write(t, filepath.Join(f.Home, "AGENTS.md"), decoy+" instructions of the person")
		write(t, filepath.Join(f.Home, "skills/mine.md"), skill("the keylane home"))
		write(t, filepath.Join(f.Workspace, "CLAUDE.md"), decoy+" instructions of the project")
		write(t, filepath.Join(f.Workspace, ".keylane/skills/ours.md"), skill("the project"))
		write(t, filepath.Join(f.Workspace, ".agents/skills/shared.md"), skill("the project's .agents"))
		write(t, filepath.Join(f.Workspace, ".git/HEAD"), "ref: refs/heads/"+decoy+"-branch\n")
		return nil
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// littered is a session among decoys.
func littered(t *testing.T) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "hermetic",
		Fixture: true,
		Prepare: litter(t),
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			if len(s.Requests()) != 2 {
				s.Errorf("the model was asked %d times, want 2", len(s.Requests()))
			}
			requests, err := json.Marshal(s.Requests())
			if err != nil {
				s.Fatalf("%v", err)
			}
			without(s, "the model requests", string(requests))
			without(s, "the page", s.Text("body"))
			for _, event := range s.Events() {
				without(s, "the log's "+event.Type, string(event.Data))
			}
			// The host has the key in its environment; a command, and so the model, has not. grep says 1 where it found nothing.
			s.WantToolResults("0\n[exit code: 1]")
		},
	}
}

func TestNothingAmbientReachesARequestAToolOrThePage(t *testing.T) {
	plant(t)
	scaffold.Run(t, littered(t))
}

// without looks for decoys and shows each that it finds.
func without(s *scaffold.Stage, what, text string) {
	s.Helper()
	for rest := text; ; {
		at := strings.Index(rest, decoy)
		if at < 0 {
			return
		}
		s.Errorf("a decoy reached %s: %s", what, rest[at:min(len(rest), at+80)])
		rest = rest[at+len(decoy):]
	}
}

// The guard itself: a host that is told to look does show the decoys, all of them, so they are live and nothing but the lane's patches keeps
// them away.
func TestTheDecoysWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	bundled := plant(t)
	for _, mutant := range []struct {
		name    string
		patches []composition.Layer
		says    []string // each after "a decoy reached the model requests: "
	}{
		{"a decoy as the persona", scaffold.Patch("mine.yml", "- id: system-prompt\n  config: {persona: "+decoy+"}\n"), []string{decoy}},
		{"skills of the project and the person", scaffold.Enable("skill-filesystem"), []string{
			decoy + " skill from the keylane home", decoy + " skill from KEYLANE_AGENTS_HOME", decoy + " skill from the project\\n", decoy + " skill from the project's .agents",
		}},
		{"skills of the installation, and of the person's home without the variable", scaffold.Patch("mine.yml",
			"- {id: skill-filesystem, disabled: false, config: {agentsHomeEnv: '', bundled: "+bundled+"}}\n"), []string{
			decoy + " skill from HOME/.agents", decoy + " skill from the installation",
		}},
		{"instructions", scaffold.Enable("agent-instructions"), []string{decoy + " instructions of the person", decoy + " instructions of the project"}},
		{"where the session runs", scaffold.Enable("runtime-context"), []string{decoy + "-branch"}},
		{"the machine's own home", scaffold.Patch("mine.yml", "- {id: agent-instructions, disabled: false, config: {file: "+os.Getenv("KEYLANE_HOME")+"/AGENTS.md}}\n"),
			[]string{decoy + "\\n"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := littered(t)
			broken.Patches = mutant.patches
			failures := strings.Join(scaffold.Trial(t, func(trial scaffold.T) { scaffold.Run(trial, broken) }), "\n")
			for _, words := range mutant.says {
				if !strings.Contains(failures, "a decoy reached the model requests: "+words) {
					t.Errorf("no failure says that %q reached a request:\n%s", words, failures)
				}
			}
		})
	}
}

func TestTheSandboxHasNoNetwork(t *testing.T) {
	if os.Getenv("TEST_WORKSPACE") == "" {
		t.Skip("runs under Bazel only: it is Bazel's sandbox that closes the network")
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range interfaces {
		addresses, err := each.Addrs()
		if err != nil {
			t.Fatal(err)
		}
		if each.Flags&net.FlagLoopback == 0 && len(addresses) > 0 {
			t.Errorf("interface %s has addresses %v: the scenario could reach beyond the loopback", each.Name, addresses)
		}
	}
}
