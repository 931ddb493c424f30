// Package locked_test opens a session that another host has open: it can be read, the composer's place says who has it, and when that one
// lets go, the person goes on here. No model is asked.
package locked_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const sessionID = "session-elsewhere"

func transcript() []byte {
	return []byte(strings.Join([]string{
		`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`,
		`{"type":"turn/start","data":{"turn":1}}`,
		`{"type":"step/start","data":{"turn":1,"step":1}}`,
		`{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Go."}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Gone."}],"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}}},"surfaceOp":"append"}`,
		`{"type":"step/end","data":{"turn":1,"step":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`,
	}, "\n") + "\n")
}

var (
	again   = chromium.Role("button", "Try again")
	message = chromium.Role("textbox", "Message the agent")
)

// elsewhere is a host that has the session open before ours boots; the result lets it go.
func elsewhere(folders scaffold.Folders) (letGo func() error, err error) {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions}, clock.System())
	if err != nil {
		return nil, err
	}
	if _, err := seed.Session(ctx, store, transcript(), seed.Options{SessionID: sessionID, Cwd: folders.Workspace}); err != nil {
		return nil, err
	}
	_, _, err = store.Load(ctx, sessionID)
	return func() error { return store.Close(ctx) }, err
}

func TestASessionThatIsOpenElsewhere(t *testing.T) { scaffold.Run(t, scenario(true)) }

// TestASessionThatNobodyHasWouldBeSeen leaves the session free: the page must not look as if it were held.
func TestASessionThatNobodyHasWouldBeSeen(t *testing.T) {
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, scenario(false)) })
	if all := strings.Join(failures, "\n"); !strings.Contains(all, `does not say "Open in another keylane."`) {
		t.Errorf("seen was only:\n%s", all)
	}
}

func scenario(held bool) scaffold.Scenario {
	var letGo func() error
	return scaffold.Scenario{
		Name: "locked",
		Prepare: func(folders scaffold.Folders) (err error) {
			if letGo, err = elsewhere(folders); err == nil && !held {
				err = letGo()
			}
			return err
		},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			shown := s.Text("main")
			for _, want := range []string{"Gone.", "Open in another keylane.", fmt.Sprintf("Process %d has had this session open since", os.Getpid())} {
				if !strings.Contains(shown, want) {
					s.Fatalf("the page does not say %q:\n%s", want, shown)
				}
			}
			writable, err := chromium.Eval[bool](s.Context, s.Page, `document.querySelector("textarea") !== null`)
			if err != nil || writable {
				s.Errorf("a message can be written that nobody would take: %v", err)
			}
			s.Reload()
			s.Click(again) // still held: nothing changes
			s.WaitFor(again)
			if err := letGo(); err != nil {
				s.Fatalf("closing the other host: %v", err)
			}
			s.Click(again)
			s.WaitFor(message)
			if shown := s.Text("main"); !strings.Contains(shown, "Gone.") || strings.Contains(shown, "another keylane") {
				s.Errorf("after the other host has let go:\n%s", shown)
			}
		},
	}
}
