package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/session"
)

const harmless = `{"command":"echo hello","description":"say hello"}`

// askedLeave reads the stream up to the request and returns the id that decides about it.
func askedLeave(s *stream) (id string, payload string) {
	s.t.Helper()
	all := s.until(isMethod("approval/requested"))
	seen := all[len(all)-1]
	var envelope struct{ RPCID string }
	var frame struct{ ApprovalID string }
	if json.Unmarshal([]byte(seen.data), &envelope) != nil || json.Unmarshal(seen.Payload, &frame) != nil || envelope.RPCID == "" || envelope.RPCID != frame.ApprovalID {
		s.t.Fatalf("the request has no id to answer to: %s", seen.data)
	}
	return envelope.RPCID, string(seen.Payload)
}

func decision(session, approval, outcome string) string {
	return respond(approval, `{"ok":true,"value":{"sessionId":"`+session+`","approvalId":"`+approval+`","outcome":"`+outcome+`"}}`)
}

func TestACallWaitsForLeaveOnEveryStream(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	w.call("session.setMode", map[string]any{"sessionId": id, "mode": "ask"}, nil)
	live := w.open("mux", "")
	live.until(isCursor)
	w.model.prepare(calls("bash", harmless), says("thanks"))
	w.prompt(id, "go")
	waits, frame := askedLeave(live)
	if !strings.Contains(frame, `"toolName":"bash"`) || !strings.Contains(frame, `"command":"echo hello"`) {
		t.Error(frame)
	}
	late := w.open("mux", "")
	if again, same := askedLeave(late); again != waits || same != frame {
		t.Errorf("asked again as %s %s", again, same)
	}
	for body, receipt := range map[string]string{
		decision(id, waits, "cancelled"):                                                     `{"accepted":false,"reason":"bad-response"}`,
		decision("other", waits, "rejected"):                                                 `{"accepted":false,"reason":"not-pending"}`,
		decision(id, "other", "rejected"):                                                    `{"accepted":false,"reason":"not-pending"}`,
		respond(waits, `{"ok":true,"value":{"sessionId":"`+id+`","outcome":"rejected"}}`):    `{"accepted":false,"reason":"bad-response"}`,
		respond(waits, `{"ok":false,"error":{"code":"internal","message":"","details":{}}}`): `{"accepted":false,"reason":"bad-response"}`,
	} {
		if got := w.post("respond", body); got != receipt {
			t.Errorf("%s: %s", body, got)
		}
	}
	if got := w.post("respond", decision(id, waits, "allowed-once")); got != `{"accepted":true}` {
		t.Fatal(got)
	}
	for name, s := range map[string]*stream{"live": live, "late": late} {
		all := s.until(isEvent(session.TypeToolResult))
		resolved := 0
		for _, b := range all {
			if b.Method == "approval/resolved" {
				resolved++
				if want := `{"sessionId":"` + id + `","approvalId":"` + waits + `","outcome":"allowed-once"}`; string(b.Payload) != want {
					t.Errorf("%s: %s", name, b.Payload)
				}
			}
		}
		if last := string(all[len(all)-1].Payload); resolved != 1 || !strings.Contains(last, "hello") {
			t.Errorf("%s: resolved %d times; %s", name, resolved, last)
		}
	}
	w.idle()
	fresh := w.open("mux", "")
	if got := methods(fresh.until(isCursor)); got != "session/subscribed session/queue cursor" {
		t.Error(got)
	}
}

func TestTheModeIsTheSessionsOwn(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	var history struct {
		Projections struct{ Values struct{ Mode string } }
	}
	w.call("session.history", map[string]any{"sessionId": id}, &history)
	if history.Projections.Values.Mode != "full" {
		t.Errorf("a session that chose nothing has the mode %q", history.Projections.Values.Mode)
	}
	w.call("session.setMode", map[string]any{"sessionId": id, "mode": "read-only"}, nil)
	w.call("session.history", map[string]any{"sessionId": id}, &history)
	if history.Projections.Values.Mode != "read-only" {
		t.Errorf("it has the mode %q", history.Projections.Values.Mode)
	}
}
