package host_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"
	"keylane/host"
	"keylane/host/agent"
	"keylane/host/api"
	"keylane/host/composition"
	"keylane/host/llm"
	"keylane/host/persistence"
	"keylane/host/session"
	"keylane/host/webserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var page = fstest.MapFS{"index.html": {Data: []byte("page")}, "manifest.json": {Data: []byte(`{"rev":"r","plugins":[]}`)}}

func boot(t *testing.T, home string, patches ...string) (*composition.Instance, error) {
	t.Helper()
	o := host.Options{Client: page, Layers: []composition.Layer{{Name: "test", Data: []byte(fmt.Sprintf(
		"- id: home\n  config: {dir: %q}\n- id: workspace\n  config: {cwd: '{{home}}/work'}\n- id: webserver\n  config: {host: 127.0.0.1, port: 0}\n- id: llm-deepseek\n  config: {apiKeyEnv: ''}\n", home))}}}
	for i, p := range patches {
		o.Layers = append(o.Layers, composition.Layer{Name: fmt.Sprintf("patch%d", i), Data: []byte(p)})
	}
	return host.Boot(t.Context(), o)
}

func TestTheShippedCompositionBootsServesAndEnds(t *testing.T) {
	home := t.TempDir()
	in, err := boot(t, home)
	if err != nil {
		t.Fatal(err)
	}
	if report := in.Report().String(); report != "" {
		t.Error(report)
	}
	server, ok := composition.Get(in, webserver.Service)
	if !ok {
		t.Fatal("no web server")
	}
	response, err := http.Get(server.URL() + "api/events.mux")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if line, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil || line != ": connected\n" {
		t.Errorf("%q %v", line, err)
	}
	described, err := http.Post(server.URL()+"api/host.describe", "application/json", strings.NewReader(`{"type":"client-request","rpcId":"r","method":"host.describe","payload":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(described.Body)
	_ = described.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"version":"` + host.Version + `"`, `"home":"` + home + `"`, `"cwd":"` + filepath.Join(home, "work") + `"`, `"provider":"deepseek"`, `"mode":"ask"`, `"reason":"missing-key"`, `"demo":true`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	if err := in.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("an idle host left %v in its home (%v)", entries, err)
	}
}

func TestTheDemoAnswersWithRealToolsWithoutAKey(t *testing.T) {
	in, err := boot(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := in.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	calls, _ := composition.Get(in, api.Service)
	agents, _ := composition.Get(in, agent.Service)
	store, _ := composition.Get(in, persistence.Service)
	call := func(method string, payload any) string {
		t.Helper()
		text, err := calls.Call(t.Context(), "r", method, payload)
		if err != nil || !strings.Contains(string(text), `"ok":true`) {
			t.Fatalf("%s: %s %v", method, text, err)
		}
		return string(text)
	}
	call("session.create", map[string]any{"sessionId": "s", "provider": "demo"})
	call("session.prompt", map[string]any{"sessionId": "s", "mode": "queue", "content": []any{map[string]any{"type": "text", "text": "Show me"}}})
	if err := agents.WhenIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if history := call("session.history", map[string]any{"sessionId": "s"}); !strings.Contains(history, `"reason":{"kind":"completed"}`) {
		t.Error(history)
	}
	if _, events, err := store.Inspect(t.Context(), "s"); err != nil || len(events) == 0 {
		t.Errorf("%d events are stored, %v", len(events), err)
	}
}

func TestWithoutAKeyALiveModelFailsAndSaysWhy(t *testing.T) {
	in, err := boot(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(context.Background()) }()
	calls, _ := composition.Get(in, api.Service)
	agents, _ := composition.Get(in, agent.Service)
	for method, payload := range map[string]map[string]any{"session.create": {"sessionId": "s"}} {
		if _, err := calls.Call(t.Context(), "r", method, payload); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := calls.Call(t.Context(), "r", "session.prompt", map[string]any{"sessionId": "s", "mode": "queue", "content": []any{map[string]any{"type": "text", "text": "hi"}}}); err != nil {
		t.Fatal(err)
	}
	if err := agents.WhenIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	history, err := calls.Call(t.Context(), "r", "session.history", map[string]any{"sessionId": "s"})
	if err != nil || !strings.Contains(string(history), "AUTH_MISSING") || !strings.Contains(string(history), "DEEPSEEK_API_KEY") {
		t.Errorf("%s %v", history, err)
	}
}

func TestAPatchChangesWhatBoots(t *testing.T) {
	in, err := boot(t, t.TempDir(), "- id: webserver\n  disabled: true\n- id: llm-recorded\n  disabled: true\n- id: clock\n  config: {start: '2026-01-02T03:04:05Z', seed: 7}\n")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(context.Background()) }()
	if _, ok := composition.Get(in, webserver.Service); ok {
		t.Error("the web server runs")
	}
	if got := len(in.Report().Disabled); got != 2 {
		t.Errorf("%d rows are disabled", got)
	}
}

func TestABadPatchIsNamed(t *testing.T) {
	for patch, want := range map[string]string{
		"- id: webservr\n  disabled: true\n":                            `patch0:1:7: row "webservr": no row has this id`,
		"- id: webserver\n  config: {hots: x}\n":                        `patch0:2:12: row "webserver": config: unknown key "hots"`,
		"- id: webserver\n  config: {host: 127.0.0.1, port: 70000}\n":   `patch0:2:35: row "webserver": config: port: 70000: want 0 to 65535`,
		"- id: home\n  disabled: true\n":                                `required, but it waits for service "home", whose row "home" is disabled (patch0)`,
		"- id: clock\n  config: {start: noon}\n":                        `patch0:2:19: row "clock": config: start:`,
		"- id: api\n  config: {trustedHosts: [ok.example, 'http://x']}": `patch0:2:39: row "api": config: trustedHosts.1:`,
		"- id: system-prompt\n  config: {persona: 'I am {{nam}}'}":      `row "system-prompt": config: persona: nothing fills {{nam}}`,
	} {
		in, err := boot(t, t.TempDir(), patch)
		if err == nil {
			_ = in.Close(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", patch, err, want)
		}
	}
}

func TestTheShippedCompositionMountsTheRetryPolicy(t *testing.T) {
	in, err := boot(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := in.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	models, ok := composition.Get(in, llm.Service)
	if !ok || models.RetryPolicy() == nil {
		t.Fatal("failed model calls stand in the shipped composition")
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: false} {
		if _, again := models.RetryPolicy().Next(n, session.Failure{Code: llm.CodeServer, Message: "down"}); again != want {
			t.Errorf("retry %d: %v", n, again)
		}
	}
}

func TestAConfigOfRetriesThatMakesNoSenseIsNamed(t *testing.T) {
	for config, says := range map[string]string{
		"{maxRetries: -1}":  "maxRetries",
		"{baseDelayMs: 0}":  "baseDelayMs",
		"{maxDelayMs: 100}": "no less than baseDelayMs",
		"{jitter: 1.5}":     "from 0 to 1",
		"{attempts: 3}":     "attempts",
	} {
		_, err := boot(t, t.TempDir(), "- id: llm-retry\n  config: "+config+"\n")
		if err == nil || !strings.Contains(err.Error(), "patch0:2:") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v\ndoes not say %q with its place", config, err, says)
		}
	}
}

func TestWithoutAPageTheBootSaysSo(t *testing.T) {
	_, err := host.Boot(t.Context(), host.Options{Layers: []composition.Layer{{Name: "t", Data: []byte(fmt.Sprintf("- id: home\n  config: {dir: %q}\n", t.TempDir()))}}})
	if err == nil || !strings.Contains(err.Error(), `row "webserver": required, but it waits for service "client", which no row provides`) {
		t.Error(err)
	}
}

func TestEveryPluginSaysWhatItIsFor(t *testing.T) {
	for _, p := range host.Plugins() {
		if p.Doc() == "" || p.Name() == "" {
			t.Errorf("%q: %q", p.Name(), p.Doc())
		}
	}
}
