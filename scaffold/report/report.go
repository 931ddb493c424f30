// Package report writes what a person needs to understand a failed scenario: one HTML file that opens from disk with a double
// click, needs nothing else, and works with a keyboard, in light and dark.
//
//	path, err := report.Write(outputs, report.Report{Scenario: "round_trip", Failures: ..., ...})
//
// A [Report] is plain data: whoever runs the scenario gathers it (pages, logs, goldens) and this package only lays it out. All texts are
// escaped, so that a model's output or a page's title can't become markup, and a policy in the file forbids scripts and requests altogether.
//
// What not to do: don't put secrets in; the file is kept as a CI artifact. Don't add links to files beside it: it travels alone.
package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Report is what is known about one failed run. Empty parts are left out.
type Report struct {
	Scenario string
	// Started is when the run began; timeline times are shown relative to it.
	Started time.Time
	// Failures are complete messages, the first one first.
	Failures []string
	// States are the captures that did not match their goldens.
	States []State
	// Screenshot is the page at the moment of failure, PNG.
	Screenshot []byte
	// Timeline joins what different parts saw, in any order; it is sorted by time.
	Timeline []Entry
	// Console and Network are lines of the page and its workers.
	Console, Network []string
	// Logs are ends of logs by name, such as the host's session log.
	Logs []Log
	// Commands are what to run next, with a word on why.
	Commands []Command
}

// State is one mismatch.
type State struct {
	Name string
	Diff string // unified
	// Screenshot is the page when the state was captured, PNG; may be empty.
	Screenshot []byte
}

// Entry is one line of the timeline.
type Entry struct {
	Time   time.Time
	Source string // a word: model, log, frame, page, test, ...
	Text   string
}

// Log is the tail of a log.
type Log struct{ Name, Text string }

// Command is a shell command and what it does.
type Command struct{ Purpose, Line string }

// Name is the name of the file that [Write] makes.
const Name = "report.html"

// Limit bounds the file's size in bytes. Parts that would exceed it are shortened or left out, and say so.
const Limit = 5 << 20

// The shares of the limit, in bytes of the file (after escaping). Their sum leaves room for the frame.
const (
	pictureShare  = 3 << 20
	failureShare  = 256 << 10
	diffShare     = 512 << 10
	logShare      = 384 << 10
	timelineShare = 384 << 10
	consoleShare  = 128 << 10
	networkShare  = 128 << 10
	commandShare  = 32 << 10
)

// maxLine bounds one line of timeline, console or network, and every heading, in bytes before escaping.
const maxLine = 300

//go:embed report.html.tmpl
var source string

var page = template.Must(template.New("report").Parse(source))

// Write writes the report into the directory, which is made when needed, and returns its path.
func Write(directory string, r Report) (string, error) {
	html, err := Render(r)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return "", fmt.Errorf("report: writing: %w", err)
	}
	path := filepath.Join(directory, Name)
	if err := os.WriteFile(path, html, 0o644); err != nil {
		return "", fmt.Errorf("report: writing: %w", err)
	}
	return path, nil
}

// Render returns the HTML.
func Render(r Report) ([]byte, error) {
	var b bytes.Buffer
	if err := page.Execute(&b, newView(r)); err != nil {
		return nil, fmt.Errorf("report: rendering: %w", err)
	}
	if b.Len() > Limit {
		return nil, errors.New("report: rendering: the result is larger than its limit; this is a mistake in the shares")
	}
	return b.Bytes(), nil
}

// cost is an upper bound of what a text takes in the file.
func cost(text string) int {
	return len(template.HTMLEscapeString(text)) + 4*strings.Count(text, "+")
}

// tail keeps as much of the end of a text, in whole lines if it can, as the room allows: failures are usually at the end.
func tail(text string, room *int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if c := cost(text); c <= *room {
		*room -= c
		return text
	}
	// No character costs more than five times its bytes.
	kept := text[max(0, len(text)-*room/5):]
	if _, rest, found := strings.Cut(kept, "\n"); found {
		kept = rest
	}
	kept = strings.ToValidUTF8(kept, "")
	*room -= cost(kept)
	return fmt.Sprintf("[the first %d bytes are left out]\n%s", len(text)-len(kept), kept)
}

// head keeps the beginning of a line.
func head(text string) string {
	if len(text) <= maxLine {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return strings.ToValidUTF8(text[:maxLine], "") + "…"
}

// image makes a data: URI of a PNG. Anything that is not a PNG stays out.
func image(png []byte, room *int) (template.URL, string) {
	const signature = "\x89PNG\r\n\x1a\n"
	switch size := base64.StdEncoding.EncodedLen(len(png)); {
	case len(png) == 0:
		return "", ""
	case !strings.HasPrefix(string(png), signature):
		return "", "The screenshot is not a PNG."
	case size > *room:
		return "", fmt.Sprintf("The screenshot (%d bytes) is left out: the report would become too large.", len(png))
	default:
		*room -= size
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png)), ""
}
