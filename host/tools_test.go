package host_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/tool"
)

// A page shows a result by its card, so every tool's result has one.
func TestEveryShippedToolSaysHowItsResultIsShown(t *testing.T) {
	in, err := boot(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := in.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	tools, _ := composition.Get(in, tool.Service)
	cwd := t.TempDir()
	if err := os.WriteFile(cwd+"/f", []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cwd+"/.keylane/skills", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cwd+"/.keylane/skills/plan.md", []byte("---\nname: plan\ndescription: How to plan\n---\nThink first.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := map[string]string{
		"skill":      `{"name":"plan"}`,
		"bash":       `{"command":"true","description":"d"}`,
		"read":       `{"file_path":"f"}`,
		"glob":       `{"pattern":"*"}`,
		"grep":       `{"pattern":"text"}`,
		"edit":       `{"file_path":"f","old_string":"text","new_string":"words"}`,
		"write":      `{"file_path":"f","content":"new\n"}`,
		"todo_write": `{"todos":[]}`,
		// It waits for a person; with the turn gone it says so on its card.
		"ask_user_question": `{"questions":[{"id":"a","question":"b"}]}`,
	}
	for _, schema := range tools.Schemas() {
		arguments, known := calls[schema.Name]
		if !known {
			t.Errorf("no call of %s is known here", schema.Name)
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		if schema.Name == "ask_user_question" {
			cancel()
		}
		got := tools.Execute(ctx, schema.Name, arguments, tool.Call{SessionID: "s", CallID: "c", Cwd: cwd, Clock: clock.System()})
		cancel()
		var shown struct {
			Card string `json:"card"`
		}
		if err := json.Unmarshal(got.Meta, &shown); err != nil || shown.Card == "" {
			t.Errorf("%s: %+v has no card (%v)", schema.Name, got, err)
		}
	}
}
