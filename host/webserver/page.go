package webserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
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
	files fs.FS
	boot  *file

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

// NewPage checks that files are a page: an index.html and a manifest.json that can be
// read.
func NewPage(files fs.FS, version string) (*Page, error) {
	p := &Page{files: files, known: map[string]*file{}}
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
		index, err := p.load(indexFile)
		if err != nil || index == nil {
			status(w, http.StatusInternalServerError)
			return
		}
		p.send(w, r, index)
	}
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
