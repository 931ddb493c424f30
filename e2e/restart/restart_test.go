// Package restart_test kills the host below an open page. What the page had been told and the disk never got is gone with that host;
// the page must go on with the log that the next host has, without being loaded again.
package restart_test

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/scaffold/built"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

const sessionID = "session-restarted"

// transcript is a log of one turn with that answer: equal in length whatever the answer is.
func transcript(answer string) []byte {
	return []byte(strings.Join([]string{
		`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`,
		`{"type":"turn/start","data":{"turn":1}}`,
		`{"type":"step/start","data":{"turn":1,"step":1}}`,
		`{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Go."}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"` + answer +
			`"}],"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}}},"surfaceOp":"append"}`,
		`{"type":"step/end","data":{"turn":1,"step":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`,
	}, "\n") + "\n")
}

// machine is what outlives a host: its folders and its address.
type machine struct {
	root string
	port int
}

// store puts exactly this session on disk.
func (m *machine) store(t scaffold.T, log []byte) {
	t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(m.root, "sessions")}, clock.System())
	if err != nil {
		t.Fatalf("%v", err)
	}
	if _, _, err := store.Inspect(t.Context(), sessionID); err == nil {
		if err := store.Delete(t.Context(), sessionID); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if _, err := seed.Session(t.Context(), store, log, seed.Options{SessionID: sessionID, Cwd: m.root}); err != nil {
		t.Fatalf("%v", err)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatalf("%v", err)
	}
}

// address is where the host answers, without a slash at the end.
func (m *machine) address() string { return fmt.Sprintf("http://127.0.0.1:%d", m.port) }

// boot starts the built command on the machine; kill ends it as a crash would, at the end of the test at the latest.
func (m *machine) boot(t scaffold.T) (kill func()) {
	t.Helper()
	host, err := built.Start(built.Options{Target: "//e2e/restart", Home: m.root, Port: m.port})
	if err != nil {
		t.Fatalf("%v", err)
	}
	kill = func() {
		if err := host.Kill(); err != nil {
			t.Errorf("%v", err)
		}
	}
	t.Cleanup(kill)
	address, err := url.Parse(host.URL())
	if err != nil {
		t.Fatalf("%v", err)
	}
	if m.port, err = strconv.Atoi(address.Port()); err != nil {
		t.Fatalf("the host answers at %q: %v", host.URL(), err)
	}
	return kill
}

func open(t scaffold.T, address string) *chromium.Page {
	t.Helper()
	path, err := chromium.Executable("//e2e/restart")
	if err != nil {
		t.Fatalf("%v", err)
	}
	page, browser, err := chromium.OpenAlone(t.Context(), chromium.Options{Path: path}, address)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Errorf("%v", err)
		}
	})
	return page
}

// shows waits for a text of the page that begins so; what is announced of an answer begins otherwise.
func shows(t scaffold.T, page *chromium.Page, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := page.WaitFor(ctx, chromium.RoleMatching("StaticText", regexp.MustCompile("^"+regexp.QuoteMeta(text)))); err != nil {
		t.Fatalf("%v", err)
	}
}

// becomes waits until the page says so of itself, in the words of a selector of its root element.
func becomes(t scaffold.T, page *chromium.Page, attributes string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := page.WaitFor(ctx, chromium.CSS(":root"+attributes)); err != nil {
		t.Fatalf("%v", err)
	}
}

const (
	lost  = `[data-connection="reconnecting"]`
	ready = `[data-connection="connected"][data-busy="false"]` // and the answers to what it asked are on screen
)

// text is what the page shows.
func text(t scaffold.T, page *chromium.Page) string {
	t.Helper()
	text, err := chromium.Eval[string](t.Context(), page, "document.querySelector('main').innerText")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return text
}

// goesOn has a page open while its host is killed, and another one booted that has another log. The page reaches the host as through does.
func goesOn(t scaffold.T, root string, through func(t scaffold.T, host string) (address string)) {
	m := &machine{root: root}
	m.store(t, transcript("KEYLANE_LOST"))
	kill := m.boot(t)
	page := open(t, through(t, m.address())+"/s/"+sessionID)
	shows(t, page, "KEYLANE_LOST")
	kill()
	becomes(t, page, lost)
	m.store(t, transcript("KEYLANE_KEPT"))
	m.boot(t)
	becomes(t, page, ready)
	if shown := text(t, page); !strings.Contains(shown, "KEYLANE_KEPT") || strings.Contains(shown, "KEYLANE_LOST") {
		t.Errorf("the page shows what no log has: %q", shown)
	}
}

// directly is how a page reaches its host when nothing stands between them.
func directly(_ scaffold.T, host string) string { return host }

func TestAnOpenPageGoesOnWithTheLogOfTheNextHost(t *testing.T) {
	goesOn(t, t.TempDir(), directly)
}
