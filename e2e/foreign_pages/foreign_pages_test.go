// Package foreign_pages_test is what other pages can do to a running keylane: a person visits one that knows the host's address, in the
// same browser. It tries everything that a browser lets a page try: requests with and without the browser asking first, forms, beacons,
// streams, frames, scripts, a frame without an origin. None of it starts a session, reads anything, or shows the page in a frame.
//
// A page whose name was made to point here (DNS rebinding) is the browser's own idea of the same origin; what holds it off is the Host,
// which host/api's tests try, and the raw requests here.
package foreign_pages_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"keylane/host"
	"keylane/host/api"
	"keylane/host/composition"
	"keylane/host/webserver"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const envelope = `{"type":"client-request","rpcId":"r","method":"session.create","payload":{"sessionId":"stolen"}}`

// attacks are expressions of the foreign page; each says what came of it, the best that could for the person first. `target` is the host's
// address, `body` a call that makes a session.
var attacks = []struct {
	name, expression string
	// want is what the page may get to know; "opaque" is an answer that it cannot read.
	want []string
}{
	{"a call, as the page itself makes it", `fetch(target + "api/session.create", { method: "POST", headers: { "content-type": "application/json" }, body }).then((r) => "answer " + r.status, () => "refused")`, []string{"refused"}},
	{"a call that the browser does not ask about", `fetch(target + "api/session.create", { method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body }).then((r) => r.type, () => "refused")`, []string{"opaque", "refused"}},
	{"a call without a type", `fetch(target + "api/session.create", { method: "POST", mode: "no-cors", body: new Blob([body]) }).then((r) => r.type, () => "refused")`, []string{"opaque", "refused"}},
	{"a beacon", `(navigator.sendBeacon(target + "api/session.create", new Blob([body], { type: "text/plain" })), "sent")`, []string{"sent"}},
	{"a beacon of JSON", `(() => { try { return navigator.sendBeacon(target + "api/session.create", new Blob([body], { type: "application/json" })) ? "sent" : "refused"; } catch { return "refused"; } })()`, []string{"sent", "refused"}},
	{"a form", `new Promise((done) => {
		const frame = Object.assign(document.createElement("iframe"), { name: "answer", onload: () => done("sent") });
		document.body.append(frame);
		const form = Object.assign(document.createElement("form"), { action: target + "api/session.create", method: "post", enctype: "text/plain", target: "answer" });
		form.append(Object.assign(document.createElement("input"), { name: body.slice(0, -1) + ',"x":"', value: '"}' }));
		document.body.append(form);
		form.submit();
	})`, []string{"sent"}},
	{"reading a stream", `fetch(target + "api/events.mux").then((r) => "answer " + r.status, () => "refused")`, []string{"refused"}},
	{"an event source", `new Promise((done) => { const source = new EventSource(target + "api/events.host"); source.onmessage = () => done("a frame"); source.onerror = () => { source.close(); done("refused"); }; })`, []string{"refused"}},
	{"reading the page", `fetch(target).then((r) => "answer " + r.status, () => "refused")`, []string{"refused"}},
	{"reading what the host is", `fetch(target + "boot.json").then((r) => "answer " + r.status, () => "refused")`, []string{"refused"}},
	{"the host's data as a script", `new Promise((done) => document.head.append(Object.assign(document.createElement("script"), { src: target + "boot.json", onload: () => done("loaded"), onerror: () => done("refused") })))`, []string{"refused"}},
	{"the page in a frame", `new Promise((done) => {
		const frame = Object.assign(document.createElement("iframe"), { src: target, onload: () => done(frame.contentWindow.length === 0 && !frame.contentDocument ? "an unreadable frame" : "a readable frame") });
		document.body.append(frame);
	})`, []string{"an unreadable frame"}},
	{"a frame without an origin", `new Promise((done) => {
		addEventListener("message", (event) => done(event.data), { once: true });
		const frame = document.createElement("iframe");
		frame.sandbox = "allow-scripts";
		frame.srcdoc = "<script>const body = " + JSON.stringify(body) + "; fetch(" + JSON.stringify(target + "api/session.create") + ", { method: 'POST', mode: 'no-cors', body }).then((r) => r.type, () => 'refused').then((said) => parent.postMessage(said, '*'))<" + "/script>";
		document.body.append(frame);
	})`, []string{"opaque", "refused"}},
}

// attack visits the foreign page and tries everything against target; t hears what should not have been possible.
func attack(t scaffold.T, browser *chromium.Browser, target string, sessions func() []string) {
	t.Helper()
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><title>A foreign page</title><body>") // a browser that is gone needs no page
	}))
	defer foreign.Close()
	visit, err := browser.NewContext(t.Context(), chromium.ContextOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer func() {
		if err := visit.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("%v", err)
		}
	}()
	page, err := visit.NewPage(t.Context())
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, a := range attacks {
		if err := page.Navigate(t.Context(), foreign.URL); err != nil {
			t.Fatalf("%v", err)
		}
		said, err := chromium.Eval[string](t.Context(), page, fmt.Sprintf("(async (target, body) => await %s)(%q, %q)", a.expression, target, envelope))
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		if !slices.Contains(a.want, said) {
			t.Errorf("%s: the foreign page got %q, want one of %q", a.name, said, a.want)
		}
		if made := sessions(); len(made) > 0 {
			t.Errorf("%s: the foreign page has made the sessions %q", a.name, made)
			return
		}
	}
	// The browser must have said that it was refused a frame, and not that the host was away.
	shown := slices.ContainsFunc(visit.Feed().All(), func(event chromium.Event) bool {
		text := event.String()
		return strings.Contains(text, "frame-ancestors") || strings.Contains(text, "X-Frame-Options")
	})
	if !shown {
		t.Errorf("nothing kept the page out of a frame")
	}
}

// world is a booted host and a browser.
type world struct {
	browser *chromium.Browser
	address string
	calls   *api.API
}

func boot(t *testing.T) *world {
	t.Helper()
	page := fstest.MapFS{"index.html": {Data: []byte("page")}, "manifest.json": {Data: []byte(`{"rev":"r","plugins":[]}`)}}
	home := t.TempDir()
	layer := fmt.Sprintf("- id: home\n  config: {dir: %q}\n- id: workspace\n  config: {cwd: '{{home}}/work'}\n- id: webserver\n  config: {host: 127.0.0.1, port: 0}\n- id: llm-deepseek\n  disabled: true\n", home)
	running, err := host.Boot(t.Context(), host.Options{Client: page, Layers: []composition.Layer{{Name: "scenario", Data: []byte(layer)}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	server, served := composition.Get(running, webserver.Service)
	calls, called := composition.Get(running, api.Service)
	if !served || !called {
		t.Fatal("the host has no web server or no API")
	}
	path, err := chromium.Executable("//e2e/foreign_pages")
	if err != nil {
		t.Fatal(err)
	}
	browser, err := chromium.Launch(t.Context(), chromium.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{browser, server.URL(), calls}
}

// sessions are the ids of all that there are.
func (w *world) sessions(t scaffold.T) func() []string {
	return func() []string {
		t.Helper()
		text, err := w.calls.Call(t.Context(), "r", "session.list", map[string]any{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		var answer struct {
			Result struct {
				Value struct{ Items []struct{ SessionID string } }
			}
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%v", err)
		}
		var ids []string
		for _, item := range answer.Result.Value.Items {
			ids = append(ids, item.SessionID)
		}
		return ids
	}
}

func TestAForeignPageCanDoNothing(t *testing.T) {
	w := boot(t)
	attack(t, w.browser, w.address, w.sessions(t))
}

// The host behind a middleman that says of every request what the host wants to hear, which is a host without a fence: the attacks that a
// browser lets through are seen.
func TestAHostWithoutAFenceWouldBeSeen(t *testing.T) {
	w := boot(t)
	behind, err := url.Parse(w.address)
	if err != nil {
		t.Fatal(err)
	}
	unfenced := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind)
			for _, name := range []string{"Origin", "Sec-Fetch-Site"} {
				r.Out.Header.Del(name)
			}
			r.Out.Header.Set("Content-Type", "application/json")
		},
		ModifyResponse: func(r *http.Response) error {
			for _, name := range []string{"Content-Security-Policy", "X-Frame-Options"} {
				r.Header.Del(name)
			}
			return nil
		},
	})
	defer unfenced.Close()
	failures := scaffold.Trial(t, func(t scaffold.T) { attack(t, w.browser, unfenced.URL+"/", w.sessions(t)) })
	scaffold.WantSeen(t, failures, `has made the sessions ["stolen"]`)
}

// rebound sends one request as a browser does for a page whose name points here, and returns the status.
func rebound(t *testing.T, address, method, path, name, body string) int {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp", target.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := connection.Close(); err != nil {
			t.Error(err)
		}
	}()
	authority := name + ":" + target.Port()
	if _, err := fmt.Fprintf(connection, "%s %s HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		method, path, authority, authority, len(body), body); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

func TestANameThatWasMadeToPointHereIsNobody(t *testing.T) {
	w := boot(t)
	if status := rebound(t, w.address, "POST", "/api/session.create", "localhost", strings.Replace(envelope, "stolen", "own", 1)); status != http.StatusOK {
		t.Fatalf("the page's own call has the status %d", status)
	}
	for _, name := range []string{"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "169.254.169.254", "0.0.0.0", "[::]"} {
		for _, path := range []string{"/api/session.create", "/api/session.list", "/api/host.describe"} {
			if status := rebound(t, w.address, "POST", path, name, envelope); status != http.StatusForbidden && status != http.StatusBadRequest {
				t.Errorf("POST %s as %s has the status %d", path, name, status)
			}
		}
		if status := rebound(t, w.address, "GET", "/api/events.mux", name, ""); status != http.StatusForbidden && status != http.StatusBadRequest {
			t.Errorf("the stream as %s has the status %d", name, status)
		}
	}
	if made := w.sessions(t)(); !slices.Equal(made, []string{"own"}) {
		t.Errorf("there are the sessions %q", made)
	}
}
