package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/session"

	"github.com/google/go-cmp/cmp"
)

const question = `{"questions":[{"id":"q","question":"Which?","options":[{"label":"This"},{"label":"That"}]}]}`

func isMethod(name string) func(block) bool { return func(b block) bool { return b.Method == name } }

// requested reads the stream up to the question and returns the id that answers it.
func requested(s *stream) (id string, seen block) {
	s.t.Helper()
	all := s.until(isMethod("question/requested"))
	seen = all[len(all)-1]
	var envelope struct{ RPCID string }
	var payload struct{ QuestionRPCID string }
	if json.Unmarshal([]byte(seen.data), &envelope) != nil || json.Unmarshal(seen.Payload, &payload) != nil || envelope.RPCID == "" || envelope.RPCID != payload.QuestionRPCID {
		s.t.Fatalf("the question has no id to answer to: %s", seen.data)
	}
	return envelope.RPCID, seen
}

func respond(id, result string) string {
	return `{"type":"client-response","rpcId":"` + id + `","result":` + result + `}`
}

func TestAQuestionWaitsForItsAnswerOnEveryStream(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	live := w.open("mux", "")
	live.until(isCursor)
	w.model.prepare(calls("ask_user_question", question), says("thanks"))
	w.prompt(id, "go")
	waits, frame := requested(live)

	// Whoever comes later, or comes back, is asked the same.
	late := w.open("mux", "")
	if again, same := requested(late); again != waits || string(same.Payload) != string(frame.Payload) {
		t.Errorf("asked again as %s %s", again, same.Payload)
	}
	for body, receipt := range map[string]string{
		respond(waits, `{"ok":true,"value":{"sessionId":"`+id+`","answer":{"answers":[{"id":"q","selected":["Neither"]}]}}}`): `{"accepted":false,"reason":"bad-response"}`,
		respond(waits, `{"ok":true,"value":{"sessionId":"`+id+`","answer":{"answers":[]},"extra":1}}`):                        `{"accepted":false,"reason":"bad-response"}`,
		respond(waits, `{"ok":false,"error":{"code":"internal","message":"","details":{}}}`):                                  `{"accepted":false,"reason":"bad-response"}`,
		respond("other", `{"ok":false,"error":{"code":"cancelled","message":"","details":{}}}`):                               `{"accepted":false,"reason":"not-pending"}`,
	} {
		if got := w.post("respond", body); got != receipt {
			t.Errorf("%s: %s", body, got)
		}
	}
	if got := w.post("respond", respond(waits, `{"ok":true,"value":{"sessionId":"`+id+`","answer":{"answers":[{"id":"q","selected":["That"]}]}}}`)); got != `{"accepted":true}` {
		t.Fatal(got)
	}
	for name, s := range map[string]*stream{"live": live, "late": late} {
		all := s.until(isEvent(session.TypeToolResult))
		var order []string
		for _, b := range all {
			if strings.HasPrefix(b.Method, "question/") {
				order = append(order, string(b.Payload))
			}
		}
		want := []string{`{"sessionId":"` + id + `","questionRpcId":"` + waits + `","outcome":"answered"}`}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.Contains(string(all[len(all)-1].Payload), `{\"answers\":[{\"id\":\"q\",\"selected\":[\"That\"]}]}`) {
			t.Errorf("%s: %s", name, all[len(all)-1].Payload)
		}
	}
	w.idle()
	fresh := w.open("mux", "")
	if got := methods(fresh.until(isCursor)); got != "session/subscribed session/queue cursor" {
		t.Error(got)
	}
}

func TestAStoppedTurnWithdrawsItsQuestion(t *testing.T) {
	w := newWorld(t, api.Limits{})
	id := w.create()
	live := w.open("mux", "")
	live.until(isCursor)
	w.model.prepare(calls("ask_user_question", question))
	w.prompt(id, "go")
	waits, _ := requested(live)
	w.call("session.cancel", map[string]any{"sessionId": id}, nil)
	all := live.until(isEvent(session.TypeTurnEnd))
	if got := methods(all); !strings.Contains(got, "question/resolved") {
		t.Error(got)
	}
	if got := w.post("respond", respond(waits, `{"ok":false,"error":{"code":"cancelled","message":"","details":{}}}`)); got != `{"accepted":false,"reason":"not-pending"}` {
		t.Error(got)
	}
	w.idle()
}
