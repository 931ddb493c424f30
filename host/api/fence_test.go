package api_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/clock"
)

func TestWhatConcernsTheMachineIsForLoopbackAlone(t *testing.T) {
	fence, err := api.NewFence([]string{"desk.example"})
	if err != nil {
		t.Fatal(err)
	}
	for method, privileged := range map[string]bool{
		"settings.describe": true, "settings.update": true, "settings.whateverComes": true,
		"host.listDirectory": true, "host.createDirectory": true,
		"session.list": false, "settings": false, "host.describe": false,
	} {
		for host, loopback := range map[string]bool{"127.0.0.1:3080": true, "localhost:3080": true, "[::1]:3080": true, "desk.example": false, "desk.example:3080": false} {
			r := httptest.NewRequest("POST", "/api/"+method, nil)
			r.Host = host
			if passed := fence.CheckCall(method, r) == nil; passed != (loopback || !privileged) {
				t.Errorf("%s under %s: passed is %v", method, host, passed)
			}
		}
		r := httptest.NewRequest("POST", "/api/"+method, nil)
		r.Host = "elsewhere.example"
		if fence.CheckCall(method, r) == nil {
			t.Errorf("%s passed under a foreign name", method)
		}
	}
}

// The same over the wire: under a trusted name the page is served, and its settings are not.
func TestAPageUnderATrustedNameDoesNotGetTheSettings(t *testing.T) {
	root := t.TempDir()
	w := &world{t: t, root: root, cwd: filepath.Join(root, "work"), model: &model{}, clock: clock.System(), trusted: []string{"desk.example"}}
	w.boot(api.Limits{})
	for host, status := range map[string]int{"desk.example": http.StatusForbidden, "localhost": http.StatusOK} {
		for method, payload := range map[string]string{"settings.describe": `{}`, "settings.update": `{"changes":{}}`} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/api/"+method,
				strings.NewReader(`{"type":"client-request","rpcId":"r","method":"`+method+`","payload":`+payload+`}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			r.Header.Set("Content-Type", "application/json")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil || response.StatusCode != status {
				t.Errorf("%s under %s: %d %v, want %d", method, host, response.StatusCode, err, status)
			}
		}
	}
}
