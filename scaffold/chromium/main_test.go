package chromium_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

// executable finds the Chromium that the test rule names. It is a failure when there is none.
func executable() (string, error) { return chromium.Executable("//scaffold/chromium:chromium_test") }

// shared is the Chromium of the tests that don't end it themselves.
var shared *chromium.Browser

func TestMain(m *testing.M) {
	if os.Getenv(victimFolder) != "" {
		beVictim()
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	path, err := executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	folder, err := os.MkdirTemp(os.Getenv("TEST_TMPDIR"), "chromium-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared, err = chromium.Launch(context.Background(), chromium.Options{Path: path, Folder: folder})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code = m.Run()
	pid := shared.PID()
	if err := shared.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "closing:", err)
		code = 1
	}
	if left := append(processesNaming(folder), fmt.Sprint(chromium.Members(pid))); len(left) > 1 || left[0] != "[]" {
		fmt.Fprintln(os.Stderr, "left-over processes:", left)
		code = 1
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		fmt.Fprintln(os.Stderr, "left-over files:", entries, err)
		code = 1
	}
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// processesNaming lists running processes with the text in their command line or environment.
func processesNaming(text string) []string {
	var found []string
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if entry.Name() == fmt.Sprint(os.Getpid()) {
			continue
		}
		command, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err == nil && strings.Contains(string(command), text) {
			found = append(found, entry.Name()+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

// site serves paths with the given bodies; the content type follows the ending, HTML by default. "policy" is the content security policy of every answer.
func site(t *testing.T, policy string, paths map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := paths[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		kind := "text/html; charset=utf-8"
		if strings.HasSuffix(r.URL.Path, ".js") {
			kind = "text/javascript"
		}
		w.Header().Set("Content-Type", kind)
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// open returns a page of a fresh context of the shared Chromium at the address.
func open(t *testing.T, ctx context.Context, url string, options ...chromium.ContextOptions) (*chromium.Context, *chromium.Page) {
	t.Helper()
	var o chromium.ContextOptions
	if len(options) > 0 {
		o = options[0]
	}
	visit, err := shared.NewContext(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := visit.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	page, err := visit.NewPage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	return visit, page
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func blank(t *testing.T) (context.Context, *chromium.Page) {
	ctx := await.Context(t)
	_, page := open(t, ctx, site(t, "", map[string]string{"/": "<!doctype html><title>blank</title>"}))
	return ctx, page
}
