package webserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	indexFile    = "index.html"
	manifestFile = "manifest.json"
	bootPath     = "/boot.json"
	pluginsPath  = "/plugins/"
)

// contentTypes of what a page consists of; anything else goes out as plain bytes.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".webmanifest": "application/manifest+json",
}

// Page serves the page's files. It reads each once.
type Page struct {
	files       fs.FS
	boot        *file
	preferences func() Preferences

	mu    sync.Mutex // guards known
	known map[string]*file
}

// file is what is sent for a path; nil in Page.known means that there is none.
type file struct {
	data []byte
	kind string
	tag  string
}

// manifest is what tools/webbundle writes beside the page; plugins are passed on as
// they are.
type manifest struct {
	Rev     string            `json:"rev"`
	Plugins []json.RawMessage `json:"plugins"`
}

type boot struct {
	Rev     string            `json:"rev"`
	Version string            `json:"version"`
	Plugins []json.RawMessage `json:"plugins"`
}

// Preferences are what a page is to know before it is painted: it must not begin in one theme or language and go on in another.
type Preferences struct {
	Theme  string // of the root element's data-theme
	Locale string // of its lang; empty leaves it to the page
	JSON   string // of its data-settings, for the page's own use
}

// NewPage checks that files are a page: an index.html and a manifest.json that can be
// read. Preferences is asked whenever index.html is sent; with nil that goes out as it is.
func NewPage(files fs.FS, version string, preferences func() Preferences) (*Page, error) {
	p := &Page{files: files, preferences: preferences, known: map[string]*file{}}
	if _, err := fs.Stat(files, indexFile); err != nil {
		return nil, fmt.Errorf("webserver: the page has no %s: %w", indexFile, err)
	}
	text, err := fs.ReadFile(files, manifestFile)
	if err != nil {
		return nil, fmt.Errorf("webserver: the page has no %s: %w", manifestFile, err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("webserver: reading the page's %s: %w", manifestFile, err)
	}
	if m.Rev == "" {
		return nil, fmt.Errorf("webserver: reading the page's %s: rev is missing", manifestFile)
	}
	if m.Plugins == nil {
		m.Plugins = []json.RawMessage{}
	}
	text, err = json.Marshal(boot{m.Rev, version, m.Plugins})
	if err != nil {
		return nil, fmt.Errorf("webserver: writing the boot manifest: %w", err)
	}
	p.boot = newFile(text, contentTypes[".json"])
	return p, nil
}

func newFile(data []byte, kind string) *file {
	sum := sha256.Sum256(data)
	return &file{data, kind, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
}

// ServeHTTP answers for everything but the API.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		status(w, http.StatusMethodNotAllowed)
		return
	}
	name, ok := cleanName(r.URL.Path)
	if !ok {
		status(w, http.StatusForbidden)
		return
	}
	if r.URL.Path == bootPath {
		p.send(w, r, p.boot)
		return
	}
	if name == indexFile {
		p.sendIndex(w, r)
		return
	}
	f, err := p.load(name)
	switch {
	case err != nil:
		status(w, http.StatusInternalServerError)
	case f != nil:
		p.send(w, r, f)
	case r.URL.Path == "/favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	case strings.HasPrefix(r.URL.Path, pluginsPath) || contentTypes[path.Ext(name)] != "" && path.Ext(name) != ".html":
		status(w, http.StatusNotFound)
	default:
		p.sendIndex(w, r)
	}
}

// sendIndex sends index.html with the preferences in it. Its ETag is that of what is sent, so that a browser never shows one with
// preferences that no longer hold, and it is never immutable.
func (p *Page) sendIndex(w http.ResponseWriter, r *http.Request) {
	index, err := p.load(indexFile)
	if err != nil || index == nil {
		status(w, http.StatusInternalServerError)
		return
	}
	if p.preferences != nil {
		index = newFile(p.preferences().into(index.data), index.kind)
	}
	header := w.Header()
	header.Set("Content-Type", index.kind)
	header.Set("ETag", index.tag)
	header.Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(index.data))
}

// into writes the preferences into the tags that index.html has for them.
func (p Preferences) into(index []byte) []byte {
	text := strings.Replace(string(index), ` data-theme="system" data-settings=""`,
		fmt.Sprintf(` data-theme="%s" data-settings="%s"`, html.EscapeString(p.Theme), html.EscapeString(p.JSON)), 1)
	if p.Locale != "" {
		text = strings.Replace(text, `<html lang="en"`, fmt.Sprintf(`<html lang="%s"`, html.EscapeString(p.Locale)), 1)
	}
	if scheme := map[string]string{"light": "light", "dark": "dark"}[p.Theme]; scheme != "" {
		// Until the style sheet is there the browser goes by this one.
		text = strings.Replace(text, `content="light dark"`, fmt.Sprintf(`content="%s"`, scheme), 1)
	}
	return []byte(text)
}

// cleanName turns a request's path into a file's name; false when the path tries to
// leave the page. Paths come decoded, so %2e%2e is .. here.
func cleanName(requested string) (string, bool) {
	if !strings.HasPrefix(requested, "/") || strings.ContainsAny(requested, "\\\x00") || slices.Contains(strings.Split(requested, "/"), "..") {
		return "", false
	}
	name := strings.TrimPrefix(path.Clean(requested), "/")
	if name == "" {
		name = indexFile
	}
	return name, fs.ValidPath(name)
}

// load returns the file of that name, nil when there is none.
func (p *Page) load(name string) (*file, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.known[name]; ok {
		return f, nil
	}
	info, err := fs.Stat(p.files, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(p.files, name)
	if err != nil {
		return nil, err
	}
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	f := newFile(data, kind)
	p.known[name] = f
	return f, nil
}

func (p *Page) send(w http.ResponseWriter, r *http.Request, f *file) {
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("ETag", f.tag)
	header.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("rev") != "" {
		// The page asks with the revision of what it wants: that never changes.
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	// ServeContent knows conditions and ranges; without a time it goes by the ETag.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}

func status(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, strings.ToLower(http.StatusText(code))) // a reader that is gone needs no answer
}
