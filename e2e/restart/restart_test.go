// Package restart_test kills the host below an open page. What the page had been told and the disk never got is gone with that host;
// the page must go on with the log that the next host has, without being loaded again.
package restart_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
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
func (m *machine) store(t *testing.T, log []byte) {
	t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(m.root, "sessions")}, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Inspect(t.Context(), sessionID); err == nil {
		if err := store.Delete(t.Context(), sessionID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := seed.Session(t.Context(), store, log, seed.Options{SessionID: sessionID, Cwd: m.root}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// boot starts the built command on the machine; kill ends it as a crash would.
func (m *machine) boot(t *testing.T) (kill func()) {
	t.Helper()
	binary := os.Getenv("KEYLANE_BINARY")
	if binary == "" {
		t.Fatal("KEYLANE_BINARY is not set: run ./bazelw test //e2e/restart, which sets it")
	}
	if !filepath.IsAbs(binary) {
		binary = filepath.Join(os.Getenv("TEST_SRCDIR"), binary)
	}
	command := exec.Command(binary, "web", "--port", strconv.Itoa(m.port), "--no-open", "--home", m.root)
	command.Dir, command.Stderr = m.root, os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = command.Process.Kill() // one that has ended by itself says so below
		var killed *exec.ExitError
		if err := command.Wait(); !errors.As(err, &killed) || killed.ExitCode() != -1 {
			t.Errorf("the host was not killed, it ended: %v", err)
		}
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	address, err2 := url.Parse(strings.TrimSpace(strings.TrimPrefix(line, "keylane: ")))
	if err := errors.Join(err, err2); err != nil {
		kill()
		t.Fatalf("the host printed %q: %v", line, err)
	}
	if m.port, err = strconv.Atoi(address.Port()); err != nil {
		kill()
		t.Fatalf("the host printed %q: %v", line, err)
	}
	return kill
}

func open(t *testing.T, address string) *chromium.Page {
	t.Helper()
	path, err := chromium.Executable("//e2e/restart")
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
	visit, err := browser.NewContext(t.Context(), chromium.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := visit.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	return page
}

func shows(t *testing.T, page *chromium.Page, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := page.WaitFor(ctx, chromium.RoleContaining("StaticText", text)); err != nil {
		t.Fatal(err)
	}
}

func TestAnOpenPageGoesOnWithTheLogOfTheNextHost(t *testing.T) {
	m := &machine{root: t.TempDir()}
	m.store(t, transcript("KEYLANE_LOST"))
	kill := m.boot(t)
	page := open(t, fmt.Sprintf("http://127.0.0.1:%d/s/%s", m.port, sessionID))
	shows(t, page, "KEYLANE_LOST")
	kill()
	m.store(t, transcript("KEYLANE_KEPT"))
	defer m.boot(t)()
	shows(t, page, "KEYLANE_KEPT")
	text, err := chromium.Eval[string](t.Context(), page, "document.querySelector('main').innerText")
	if err != nil || strings.Contains(text, "KEYLANE_LOST") {
		t.Errorf("the page still shows what no log has: %q, %v", text, err)
	}
}
