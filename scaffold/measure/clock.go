package measure

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/page"

	"keylane/scaffold/chromium"
)

//go:embed clock.js
var clockSource string

// A Start is what a clock begins at.
type Start string

// The starts. An event counts from its own time stamp, which is when the browser got the input.
const (
	Navigation Start = ""
	Click      Start = "click"
	Key        Start = "keydown"
	Input      Start = "input"
	Wheel      Start = "wheel"
)

// A Mark is something that comes true in a page.
type Mark struct {
	Name string
	// Met is a JavaScript expression, which becomes part of a script as it stands. It is evaluated after each batch of mutations from when the mark before it was met, so it should be
	// cheap.
	Met string
}

// A Watch says what a clock takes the times of.
type Watch struct {
	From Start
	// Marks are met in this order.
	Marks []Mark
	// Mutations is the selector of the element in which mutation records are counted, until the last mark; "" counts none.
	Mutations string
}

// Times are what a clock has taken, in milliseconds after its start.
type Times struct {
	// Seen is when a mark was met in the document, Painted when the frame that shows it was drawn.
	Seen      map[string]float64 `json:"seen"`
	Painted   map[string]float64 `json:"painted"`
	Mutations float64            `json:"mutations"`
}

// A Clock is armed in one document; the next document has none.
type Clock struct {
	page *chromium.Page
	// script is of a clock that waits for a document.
	script page.ScriptIdentifier
}

// Arm puts a clock into the page as it is, for a gesture that follows.
func Arm(ctx context.Context, p *chromium.Page, w Watch) (*Clock, error) {
	if _, err := chromium.Eval[any](ctx, p, "void "+w.expression()); err != nil {
		return nil, fmt.Errorf("measure: arming a clock: %w", err)
	}
	return &Clock{page: p}, nil
}

// ArmNext puts a clock into the next document, for a navigation that follows; it counts from the navigation, whatever w.From says.
func ArmNext(ctx context.Context, p *chromium.Page, w Watch) (*Clock, error) {
	w.From = Navigation
	added, err := chromium.Call(ctx, p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: w.expression()})
	if err != nil {
		return nil, fmt.Errorf("measure: arming a clock for the next document: %w", err)
	}
	return &Clock{page: p, script: added.Identifier}, nil
}

// Read waits until every mark is met and painted, and tells the times. A clock is read once.
func (c *Clock) Read(ctx context.Context) (Times, error) {
	times, err := chromium.Eval[Times](ctx, c.page, "measureClock.over")
	if err != nil {
		open, _ := chromium.Eval[any](context.WithoutCancel(ctx), c.page, "({...measureClock.seen})") // for the words of the error only
		return times, fmt.Errorf("measure: reading a clock that has seen %v: %w", open, err)
	}
	if c.script != "" {
		if _, err := chromium.Call(ctx, c.page, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: c.script}); err != nil {
			return times, fmt.Errorf("measure: putting a clock away: %w", err)
		}
	}
	return times, nil
}

// expression is a call of the clock. The marks are functions in its text, because a page's policy may forbid to make any from texts.
func (w Watch) expression() string {
	marks := make([]string, len(w.Marks))
	for i, m := range w.Marks {
		marks[i] = fmt.Sprintf("{ name: %s, met: () => (%s) }", quote(m.Name), m.Met)
	}
	return fmt.Sprintf("%s(%s, [%s], %s)", strings.TrimSpace(clockSource), quote(string(w.From)), strings.Join(marks, ", "), quote(w.Mutations))
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("measure: a text does not encode: %v", err)) // it always does
	}
	return string(quoted)
}
