package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	strict "github.com/go-json-experiment/json"

	"keylane/host/api"
)

// Whatever is posted to whichever method: the answer is a status or an envelope of its schema, it goes to the call that asked, a refusal
// names places in words that are no program's, and what was not refused is JSON that a stricter reader takes too.
func FuzzEnvelope(f *testing.F) {
	w := newWorld(f, api.Limits{})
	w.create()
	for _, m := range api.NewSchema().Methods {
		f.Add(m.Name, `{"type":"client-request","rpcId":"r","method":"`+m.Name+`","payload":{}}`)
		f.Add(m.Name, `{"type":"client-request","rpcId":"r","method":"`+m.Name+`","payload":{"sessionId":"s","mode":"queue","content":[{"type":"text","text":"\\ud83d"}]}}`)
	}
	f.Add("session.history", `{"type":"client-request","rpcId":"r","method":"session.history","payload":{"sessionId":"s","sessionId":"s","maxTurns":1e3,"beforeSeq":-0}}`)
	f.Add("session.updateQueue", `{"type":"client-request","rpcId":"r","method":"session.updateQueue","payload":{"sessionId":"s","itemId":"i","action":{"kind":"edit","content":[{"type":"text","text":"a"}]}}}`)
	f.Add("respond", `{"type":"client-response","rpcId":"r","result":{"ok":true,"value":{"sessionId":"s","approvalId":"r","outcome":"rejected"}}}`)
	f.Add("respond", `{"type":"client-response","rpcId":"r","result":{"ok":false,"error":{"code":"cancelled","message":"","details":{}}}}`)
	f.Fuzz(func(t *testing.T, method, body string) {
		if strings.Contains(body, "cwd") || strings.Contains(body, "path") {
			return // would register folders of this machine
		}
		reply := w.api.Dispatch(t.Context(), method, []byte(body))
		switch {
		case reply.Status == http.StatusNotFound, reply.Status == http.StatusBadRequest && !json.Valid([]byte(body)):
			return
		case reply.Status != http.StatusOK:
			t.Fatalf("%d %s", reply.Status, reply.Body)
		}
		if method == "respond" {
			if text := string(reply.Body); text != `{"accepted":false,"reason":"not-pending"}` && text != `{"accepted":false,"reason":"bad-response"}` {
				t.Fatal(text)
			}
			return
		}
		if issues := wire.answer(method, string(reply.Body)); issues != nil {
			t.Fatalf("%v: %s", issues, reply.Body)
		}
		var answer struct {
			Type, RPCID string
			Result      struct {
				OK    bool
				Error struct {
					Code    api.Code
					Details struct{ Issues []string }
				}
			}
		}
		var asked struct {
			RPCID  string `json:"rpcId"`
			Method string `json:"method"`
			Type   string `json:"type"`
			Rest   any    `json:"payload"`
		}
		if err := json.Unmarshal(reply.Body, &answer); err != nil || answer.Type != "server-response" {
			t.Fatalf("%v: %s", err, reply.Body)
		}
		if answer.Result.Error.Code == api.BadRequest {
			if len(answer.Result.Error.Details.Issues) == 0 {
				t.Fatalf("refused without a reason: %s", reply.Body)
			}
			for _, issue := range answer.Result.Error.Details.Issues {
				if !strings.Contains(issue, ": want ") || !strings.Contains(issue, ", got ") {
					t.Fatalf("an issue in nobody's words: %s", issue)
				}
			}
			return
		}
		if err := strict.Unmarshal([]byte(body), &asked, strict.RejectUnknownMembers(true)); err != nil || asked.RPCID != answer.RPCID || asked.Method != method {
			t.Fatalf("%s was taken as a call of %s: %v\n%s", body, method, err, reply.Body)
		}
	})
}
