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

	"keylane/scaffold"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const prompt = "How many keys does a command see?"

// decoy stands in everything that must not get through.
const decoy = "KEYLANE_DECOY"

// plant puts decoys where an agent host might look without being told to.
func plant(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	for _, file := range []string{
		"AGENTS.md", "CLAUDE.md", ".keylane/config.yml", ".keylane/AGENTS.md", ".keylane/skills/decoy/SKILL.md", ".agents/skills/decoy/SKILL.md",
	} {
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(decoy+": from "+file+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("KEYLANE_HOME", filepath.Join(home, ".keylane"))
	t.Setenv("DEEPSEEK_API_KEY", decoy+"-key")
	t.Setenv("DEEPSEEK_BASE_URL", "http://127.0.0.1:1/"+decoy)
}

func TestNothingAmbientReachesARequestAToolOrThePage(t *testing.T) {
	plant(t)
	scaffold.Run(t, scaffold.Scenario{
		Name:    "hermetic",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(prompt)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed")
			if len(s.Requests()) != 2 {
				t.Errorf("the model was asked %d times, want 2", len(s.Requests()))
			}
			requests, err := json.Marshal(s.Requests())
			if err != nil {
				t.Fatal(err)
			}
			without(t, "the model requests", string(requests))
			without(t, "the page", s.Text("body"))
			for _, event := range s.Events() {
				without(t, "the log's "+event.Type, string(event.Data))
			}
			// The host has the key in its environment; a command, and so the model, has not. grep says 1 where it found nothing.
			s.WantToolResults("0\n[exit code: 1]")
		},
	})
}

func without(t *testing.T, what, text string) {
	t.Helper()
	if at := strings.Index(text, decoy); at >= 0 {
		t.Errorf("a decoy reached %s: ...%s...", what, text[max(0, at-80):min(len(text), at+80)])
	}
}

// The guard itself: a host that is told to look into the decoy home does show it, so the decoys are live.
func TestTheDecoysWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	failures := scaffold.Trial(t, func(trial scaffold.T) {
		scaffold.Run(trial, scaffold.Scenario{
			Name:    "hermetic",
			Fixture: true,
			Patches: scaffold.Patch("a host with a decoy in its prompt", "- id: system-prompt\n  config: {persona: "+decoy+"}\n"),
			Drive: func(s *scaffold.Stage) {
				s.Open("/")
				s.Send(prompt)
				s.Settle()
			},
			Check: func(s *scaffold.Stage) {
				for _, request := range s.Requests() {
					if strings.Contains(request.System, decoy) {
						s.Errorf("a decoy reached the system prompt")
					}
				}
			},
		})
	})
	if len(failures) == 0 {
		t.Error("a decoy in the prompt was not seen")
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
