package webserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"keylane/host/webserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// client is a tiny page.
func client() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"index.html": file("<!doctype html><title>page</title>"), "assets/shell.js": file("export {}"), "assets/shell.css": file("a{}"),
		"assets/font.woff2": file("f"), "plugins/a/client.js": file("export {}"), "favicon.svg": file("<svg/>"), "odd": file("?"),
		"manifest.json": file(`{"rev":"r1","plugins":[{"id":"a","path":"/plugins/a/client.js","rev":"p1","css":"/plugins/a/client.css"}]}`),
	}
}

func listen(t *testing.T, calls http.Handler) *webserver.Server {
	t.Helper()
	page, err := webserver.NewPage(client(), "1.2.3", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := webserver.Listen(t.Context(), webserver.Options{Host: "127.0.0.1", API: calls, Page: page, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// raw sends a request line as it is, since a client would tidy the path.
func raw(t *testing.T, s *webserver.Server, line string, headers ...string) *http.Response {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	text := line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
	for _, h := range headers {
		text += h + "\r\n"
	}
	if _, err := io.WriteString(c, text+"\r\n"); err != nil {
		t.Fatal(err)
	}
	verb, _, _ := strings.Cut(line, " ")
	response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: verb})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return response
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryPathHasItsAnswer(t *testing.T) {
	calls := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "api "+r.URL.Path) })
	s := listen(t, calls)
	index := "<!doctype html><title>page</title>"
	for line, c := range map[string]struct {
		status     int
		kind, text string
	}{
		"GET /":                               {200, "text/html; charset=utf-8", index},
		"GET /index.html":                     {200, "text/html; charset=utf-8", index},
		"GET /session/session-1":              {200, "text/html; charset=utf-8", index},
		"GET /session/a.html":                 {200, "text/html; charset=utf-8", index},
		"GET /v1.2":                           {200, "text/html; charset=utf-8", index},
		"GET /assets":                         {200, "text/html; charset=utf-8", index},
		"GET /assets/shell.js":                {200, "text/javascript; charset=utf-8", "export {}"},
		"GET /assets//./shell.js":             {200, "text/javascript; charset=utf-8", "export {}"},
		"GET /assets/shell.css":               {200, "text/css; charset=utf-8", "a{}"},
		"GET /assets/font.woff2":              {200, "font/woff2", "f"},
		"GET /favicon.svg":                    {200, "image/svg+xml", "<svg/>"},
		"GET /odd":                            {200, "application/octet-stream", "?"},
		"GET /plugins/a/client.js?rev=p1":     {200, "text/javascript; charset=utf-8", "export {}"},
		"HEAD /assets/shell.js":               {200, "text/javascript; charset=utf-8", ""},
		"GET /favicon.ico":                    {204, "", ""},
		"GET /assets/gone.js":                 {404, "text/plain; charset=utf-8", "not found"},
		"GET /assets/gone.map":                {404, "text/plain; charset=utf-8", "not found"},
		"GET /plugins/b/client":               {404, "text/plain; charset=utf-8", "not found"},
		"POST /":                              {405, "text/plain; charset=utf-8", "method not allowed"},
		"PUT /assets/shell.js":                {405, "text/plain; charset=utf-8", "method not allowed"},
		"OPTIONS /":                           {405, "text/plain; charset=utf-8", "method not allowed"},
		"GET /../etc/passwd":                  {403, "text/plain; charset=utf-8", "forbidden"},
		"GET /assets/%2e%2e/%2e%2e/etc":       {403, "text/plain; charset=utf-8", "forbidden"},
		"GET /assets/..%2findex.html":         {403, "text/plain; charset=utf-8", "forbidden"},
		"GET /..%5cindex.html":                {403, "text/plain; charset=utf-8", "forbidden"},
		"GET /a%00b":                          {403, "text/plain; charset=utf-8", "forbidden"},
		"GET /api/x":                          {200, "text/plain; charset=utf-8", "api /api/x"},
		"POST /api/x":                         {200, "text/plain; charset=utf-8", "api /api/x"},
		"GET /api":                            {200, "text/plain; charset=utf-8", "api /api"},
		"GET /apiary":                         {200, "text/html; charset=utf-8", index},
		"GET /%zz":                            {400, "text/plain; charset=utf-8", "400 Bad Request"},
		"GET http://evil.example/favicon.svg": {200, "image/svg+xml", "<svg/>"},
	} {
		r := raw(t, s, line)
		if text := body(t, r); r.StatusCode != c.status || r.Header.Get("Content-Type") != c.kind || text != c.text {
			t.Errorf("%s: %d %q %q", line, r.StatusCode, r.Header.Get("Content-Type"), text)
		}
		if c.status != 400 && (r.Header.Get("Content-Security-Policy") != policy || r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("X-Frame-Options") != "DENY") {
			t.Errorf("%s: headers %v", line, r.Header)
		}
	}
}

func TestTheBootManifestNamesVersionAndPlugins(t *testing.T) {
	r := raw(t, listen(t, nil), "GET /boot.json")
	var got map[string]any
	if err := json.Unmarshal([]byte(body(t, r)), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"rev": "r1", "version": "1.2.3", "plugins": []any{map[string]any{"id": "a", "path": "/plugins/a/client.js", "rev": "p1", "css": "/plugins/a/client.css"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAFileIsSentOnceAndThenOnlyConfirmed(t *testing.T) {
	s := listen(t, nil)
	r := raw(t, s, "GET /assets/shell.js")
	tag := r.Header.Get("ETag")
	if tag == "" || r.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("%v", r.Header)
	}
	if again := raw(t, s, "GET /assets/shell.js", "If-None-Match: "+tag); again.StatusCode != http.StatusNotModified || again.Header.Get("ETag") != tag {
		t.Errorf("%d %v", again.StatusCode, again.Header)
	}
	if other := raw(t, s, "GET /assets/shell.css", "If-None-Match: "+tag); other.StatusCode != http.StatusOK {
		t.Errorf("%d", other.StatusCode)
	}
	if r := raw(t, s, "GET /plugins/a/client.js?rev=p1"); !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v", r.Header)
	}
}

func TestWhatIsNoPageIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(fstest.MapFS){
		"no index":      func(f fstest.MapFS) { delete(f, "index.html") },
		"no manifest":   func(f fstest.MapFS) { delete(f, "manifest.json") },
		"broken":        func(f fstest.MapFS) { f["manifest.json"].Data = []byte("{") },
		"without a rev": func(f fstest.MapFS) { f["manifest.json"].Data = []byte("{}") },
	} {
		files := client()
		spoil(files)
		if _, err := webserver.NewPage(files, "", nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestATakenPortIsAnErrorOfItsOwn(t *testing.T) {
	s := listen(t, nil)
	_, text, err := net.SplitHostPort(s.Address())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil || port == 0 || s.URL() != "http://127.0.0.1:"+text+"/" {
		t.Fatal(port, s.URL(), err)
	}
	page, err := webserver.NewPage(client(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = webserver.Listen(t.Context(), webserver.Options{Host: "127.0.0.1", Port: port, Page: page, Logger: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, webserver.ErrAddressInUse) || !strings.Contains(err.Error(), text) {
		t.Error(err)
	}
}

func TestClosingEndsStreamsAndLetsCallsFinish(t *testing.T) {
	began, release := make(chan string, 2), make(chan struct{})
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- r.Method
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return
		}
		<-release
		_, _ = io.WriteString(w, "done")
	}))
	answers := make(chan string, 2)
	for _, verb := range []string{http.MethodGet, http.MethodPost} {
		go func() {
			request, err := http.NewRequestWithContext(context.Background(), verb, s.URL()+"api/x", nil)
			if err != nil {
				answers <- err.Error()
				return
			}
			request.Close = true
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				answers <- err.Error()
				return
			}
			text, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			answers <- verb + " " + string(text)
		}()
	}
	<-began
	<-began
	closed := make(chan error, 1)
	go func() { closed <- s.Close(context.Background()) }()
	if got := <-answers; got != "GET " {
		t.Errorf("the stream: %q", got)
	}
	close(release)
	if got := <-answers; got != "POST done" {
		t.Errorf("the call: %q", got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestClosingCutsWhatDoesNotEnd(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	s := listen(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(began); <-end }))
	defer close(end)
	failed := make(chan error, 1)
	go func() {
		response, err := http.Post(s.URL()+"api/x", "application/json", strings.NewReader("{}"))
		if err == nil {
			_ = response.Body.Close()
		}
		failed <- err
	}()
	<-began
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // no grace at all
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("the call was answered")
	}
}

func TestThePageKnowsWhatIsPreferredBeforeItIsPainted(t *testing.T) {
	files := client()
	files["index.html"].Data = []byte(`<!doctype html><html lang="en" data-theme="system" data-settings="" data-x="1"><meta name="color-scheme" content="light dark">`)
	now := webserver.Preferences{Theme: "dark", Locale: "zh", JSON: `{"a":"<&"}`}
	page, err := webserver.NewPage(files, "1", func() webserver.Preferences { return now })
	if err != nil {
		t.Fatal(err)
	}
	get := func(path, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
	want := `<!doctype html><html lang="zh" data-theme="dark" data-settings="{&#34;a&#34;:&#34;&lt;&amp;&#34;}" data-x="1"><meta name="color-scheme" content="dark">`
	for _, path := range []string{"/", "/s/any", "/index.html", "/?rev=r1"} {
		first := get(path, "")
		if first.Body.String() != want || first.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %q %v", path, first.Body, first.Header())
		}
		if again := get(path, first.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.Code)
		}
	}
	old := get("/", "").Header().Get("ETag")
	now = webserver.Preferences{Theme: "system", JSON: "{}"}
	want = `<!doctype html><html lang="en" data-theme="system" data-settings="{}" data-x="1"><meta name="color-scheme" content="light dark">`
	if changed := get("/", old); changed.Code != http.StatusOK || changed.Body.String() != want {
		t.Errorf("after a change: %d %q", changed.Code, changed.Body)
	}
}
