package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/api"
)

const secret = "sk-canary-0123456789"

func TestACredentialGoesInAndNeverComesOut(t *testing.T) {
	w := newWorld(t, api.Limits{})
	stream := w.open("host", "")
	said := ""
	for _, call := range []struct{ method, payload, want string }{
		{"credentials.describe", `{}`, `{"items":[{"ref":"fake","name":"Fake","source":"none","stored":false,"variable":"FAKE_KEY"}]`},
		{"credentials.set", `{"ref":"fake","value":"` + secret + `"}`, `"source":"stored","stored":true`},
		{"credentials.set", `{"ref":"fake","value":"` + secret + ` and more"}`, `"code":"credential-rejected"`},
		{"credentials.set", `{"ref":"nobody","value":"` + secret + `"}`, `"reason":"unknown"`},
		{"credentials.set", `{"ref":"fake","value":""}`, `"code":"bad-request"`},
		{"credentials.set", `{"ref":"fake","value":"` + secret + `","x":1}`, `"code":"bad-request"`},
		{"credentials.set", `{"ref":"fake","Value":"` + secret + `"}`, `"code":"bad-request"`},
		{"credentials.set", `{"ref":["` + secret + `"],"value":"x"}`, `"code":"bad-request"`},
		{"credentials.unset", `{"ref":"fake"}`, `"source":"none","stored":false`},
	} {
		answer := w.post(call.method, `{"type":"client-request","rpcId":"r","method":"`+call.method+`","payload":`+call.payload+`}`)
		if !strings.Contains(answer, call.want) {
			t.Errorf("%s %s: %s", call.method, call.payload, answer)
		}
		if call.payload != `{"ref":["`+secret+`"],"value":"x"}` { // who puts it elsewhere gets told what stands there
			said += answer
		}
		if call.want == `"source":"stored","stored":true` {
			if info, err := os.Stat(filepath.Join(w.root, "credentials.yml")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file: %v %v", info, err)
			}
		}
	}
	for range 2 {
		frame := stream.until(func(b block) bool { return b.Method == "host/credentials-changed" })
		said += string(frame[len(frame)-1].Payload)
	}
	if strings.Contains(said+w.logged.String(), secret) {
		t.Errorf("the value came out:\n%s\n%s", said, w.logged.String())
	}
}
