package main

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// call asks a running keylane.
func (p *process) call(t *testing.T, method, payload string) string {
	t.Helper()
	request := fmt.Sprintf(`{"type":"client-request","rpcId":"r","method":%q,"payload":%s}`, method, payload)
	response, err := http.Post(p.url+"api/"+method, "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || !strings.Contains(string(text), `"ok":true`) {
		t.Fatalf("%s: %s %v", method, text, err)
	}
	return string(text)
}

func TestBesideARunningKeylaneItsSessionsAreReadOnly(t *testing.T) {
	home := filepath.Join(t.TempDir())
	p := start(t, home, "--port", "0")
	p.call(t, "session.create", `{"sessionId":"s","provider":"demo"}`)
	p.call(t, "session.prompt", `{"sessionId":"s","mode":"queue","content":[{"type":"text","text":"Show me"}]}`)
	p.call(t, "session.rename", `{"sessionId":"s","title":"Beside"}`)
	p.call(t, "session.cancel", `{"sessionId":"s"}`)
	open := fmt.Sprintf("process %d since ", p.command.Process.Pid)
	keylane(t, home, "sessions", "show", "s").want(t, exitOK, "Beside", open)
	keylane(t, home, "sessions", "repair", "s").want(t, exitLocked, open)
	keylane(t, home, "sessions", "delete", "s", "--yes").want(t, exitLocked, open)
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.exit(t); code != exitOK {
		t.Fatalf("exit %d: %s", code, p.problem)
	}
	keylane(t, home, "sessions", "show", "s", "--turn", "1").want(t, exitOK, "Show me")
	keylane(t, home, "sessions", "delete", "s", "--yes").want(t, exitOK, "Deleted s")
	if o := keylane(t, home, "sessions", "list").want(t, exitOK); o.out != "" {
		t.Error(o.out)
	}
}
