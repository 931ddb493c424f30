package surfaces

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

// The stored sessions of Trouble.
const (
	failed  = "session-failed"
	damaged = "session-damaged"
	garbage = "session-garbage"
)

// newcomer is a host without a key, one row of which cannot start: there is a tool of that name already.
const newcomer = `
- id: llm-deepseek
  disabled: false
  config: {apiKeyEnv: "", baseURLEnv: ""}
- id: llm-recorded
  disabled: false
- insert: [{id: again, plugin: tool-todo}]
`

// broken is a plugin of the page that fails, and what the console has of it.
var broken = scaffold.Guest{ID: "guest-broken", Script: `
	export function activate(scope) {
		scope.fill("dock", function Part() { throw new Error("cannot render"); });
	}`}

const brokenTold = "guest-broken failed (render)"

// Trouble is the scenario that goes through what is broken: a part of the page, a row of the host, a model without a key, turns that failed,
// logs that cannot be read. No model is asked.
func Trouble(page chromium.ContextOptions, look Look) scaffold.Scenario {
	return scaffold.Scenario{
		Name:       "accessibility",
		Page:       page,
		Guests:     []scaffold.Guest{broken},
		WantErrors: []string{brokenTold, brokenTold, brokenTold, brokenTold}, // the page is loaded four times
		Patches:    scaffold.Patch("a newcomer's host", newcomer),
		Prepare:    spoil,
		Drive: func(s *scaffold.Stage) {
			w := walk{s, page, look}
			s.Open("/")
			w.WaitFor(chromium.CSS(`.setup`).Nth(1))
			w.WaitFor(chromium.CSS(`.about-notice`).Nth(1))
			w.see("a page and a host that lack parts", `[data-plugin-failed]`)
			w.press(`.about-notice .button`)
			w.see("what failed, in the settings", `.about-failures`)
			w.leave(`dialog[open]`)
			w.press(`.setup .button:not(.button-primary)`)
			s.Settle()
			w.look(s, "a model that is not set up, or a demo")
			for _, one := range []struct{ id, surface, sign string }{
				{failed, "turns that failed, were stopped and tried again", `.turn-failure`},
				{damaged, "a log that is damaged at its end", `.damaged`},
				{garbage, "a log that cannot be read", `.conversation-state .failure`},
			} {
				s.Open("/s/" + one.id)
				w.see(one.surface, one.sign)
			}
		},
	}
}

// spoil fills the store with logs that tell of failures, and damages some.
func spoil(folders scaffold.Folders) (err error) {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions, PackChunks: true}, clock.System())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	text, err := failures()
	if err != nil {
		return err
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := seed.Session(ctx, store, text, seed.Options{SessionID: failed, Cwd: folders.Workspace, LastActivity: at}); err != nil {
		return err
	}
	for _, id := range []string{damaged, garbage} {
		header, err := seed.Generate(ctx, store, seed.History{SessionID: id, Cwd: folders.Workspace, Turns: 3, Chunks: 6, LastActivity: at})
		if err != nil {
			return err
		}
		if err := damage(store.Locate(header), id == garbage); err != nil {
			return err
		}
	}
	return nil
}

// damage spoils a log as a whole, or the checksum of its third frame, so that what follows is lost.
func damage(path string, whole bool) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("surfaces: reading a log to damage: %w", err)
	}
	if whole {
		content = []byte("this was a session once")
	} else {
		const frames = 3
		end := 0
		for range frames {
			next := bytes.Index(content[end+1:], []byte("\x28\xb5\x2f\xfd")) // the magic number of a Zstandard frame, RFC 8878
			if next < 0 {
				return fmt.Errorf("surfaces: %s has fewer than %d frames", path, frames)
			}
			end += 1 + next
		}
		content[end-1] ^= 0xff
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("surfaces: damaging a log: %w", err)
	}
	return nil
}

// failures is a log in which turns end as turns should not.
func failures() ([]byte, error) {
	type object = map[string]any
	d := seed.NewDraft()
	d.Prompt("Answer at the second attempt.")
	turn, step := d.Position()
	d.Add(session.TypeTitle, object{"title": "What can go wrong", "messageSeqs": []int{2}, "source": object{"kind": "user"}}, false)
	failure := object{"message": "the provider answered 503 Service Unavailable: The engine is overloaded", "code": "SERVER", "status": 503}
	d.Add(session.TypeRetry, object{"retryId": "retry-1", "turn": turn, "step": step, "provider": "deepseek", "mode": "normal", "policyKey": "llm-retry", "retry": 1, "maxRetries": 2, "delayMs": 20, "failure": failure}, false)
	d.Add(session.TypeRetryStarted, object{"retryId": "retry-1", "turn": turn, "step": step, "retry": 1}, false)
	d.Step("It went well after all.",
		seed.Call{Name: "read", Arguments: `{"file_path":"missing.txt"}`, Result: "missing.txt: no such file", Failed: true, Code: "NOT_FOUND"},
		seed.Call{Name: "bash", Arguments: `{"command":"rm -r build","description":"Remove the build"}`, Result: "The person refused.", Failed: true, Code: "REJECTED", Approval: "rejected", Scope: "bash"})
	d.End(session.TurnReason{Kind: session.ReasonCompleted})
	d.Prompt("Be stopped.")
	d.Step("I was about to")
	d.End(session.TurnReason{Kind: session.ReasonAborted})
	d.Prompt("Fail.")
	d.Position()
	d.End(object{"kind": "error", "error": object{"message": "the provider answered 401 Unauthorized", "code": "AUTH"}})
	return d.Text()
}
