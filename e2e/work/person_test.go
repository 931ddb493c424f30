package work_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keylane/scaffold/chromium"
)

// person is somebody at the page.
type person struct {
	*testing.T
	m       *machine
	page    *chromium.Page
	visit   *chromium.Context
	prompts int
	fresh   bool // this round has a session of its own, and nothing is allowed in it yet
	samples []sample
	seen    int // events of the browser that were judged
	shots   string
	shot    int
}

// patience bounds every single wait.
const patience = 4 * time.Minute

// person opens a browser.
func (m *machine) person(t *testing.T) *person {
	t.Helper()
	path, err := chromium.Executable("//e2e/work")
	if err != nil {
		t.Fatal(err)
	}
	browser, err := chromium.Launch(t.Context(), chromium.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Errorf("%v", err)
		}
	})
	visit, err := browser.NewContext(t.Context(), chromium.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := &person{T: t, m: m, visit: visit, shots: outputs(t)}
	p.page = p.tab()
	return p
}

// tab opens another page.
func (p *person) tab() *chromium.Page {
	p.Helper()
	page, err := p.visit.NewPage(p.Context())
	p.must(err)
	return page
}

func (p *person) must(err error) {
	p.Helper()
	if err != nil {
		p.look("failed")
		p.Fatalf("%v", err)
	}
}

func (p *person) within(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.Context(), limit)
}

// look takes a screenshot.
func (p *person) look(name string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	picture, err := p.page.Screenshot(ctx)
	if err != nil {
		p.Logf("no screenshot: %v", err)
		return
	}
	p.shot++
	path := filepath.Join(p.shots, fmt.Sprintf("%03d-%s.png", p.shot, name))
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		p.Logf("%v", err)
	}
}

func eval[T any](p *person, expression string) T {
	p.Helper()
	ctx, cancel := p.within(patience)
	defer cancel()
	value, err := chromium.Eval[T](ctx, p.page, expression)
	p.must(err)
	return value
}

// state is a JavaScript expression of what the page waits for: "" while it does not know.
const state = `(() => {
	const root = document.documentElement.dataset, has = (selector) => document.querySelector(selector) !== null;
	if (root.connection !== "connected" || root.lists !== "loaded") return "";
	if (has("[data-approval-id]")) return "approval";
	if (has("[data-question-key]")) return "question";
	if (has('button[aria-label="Stop"]')) return "running";
	return root.busy === "false" ? "idle" : "";
})()`

// until waits until an expression of the page is true, and fails with what the page was otherwise.
func (p *person) until(what, expression string) {
	p.Helper()
	ctx, cancel := p.within(patience)
	defer cancel()
	_, err := chromium.Eval[bool](ctx, p.page, `new Promise((met) => { const timer = setInterval(() => { if (`+expression+`) { clearInterval(timer); met(true); } }, 50); })`)
	if err != nil {
		p.look("waiting")
		p.Fatalf("waiting until %s: %v; the page is %q", what, err, p.now())
	}
}

func (p *person) now() string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	value, err := chromium.Eval[string](ctx, p.page, state)
	if err != nil {
		return err.Error()
	}
	return value
}

// becomes waits until the page waits for one of these, and says for which.
func (p *person) becomes(states ...string) string {
	p.Helper()
	list, err := json.Marshal(states)
	p.must(err)
	p.until("the page is "+strings.Join(states, " or "), fmt.Sprintf("%s.includes(%s)", list, state))
	return p.now()
}

func (p *person) open(path string) {
	p.Helper()
	ctx, cancel := p.within(patience)
	defer cancel()
	p.must(p.page.Navigate(ctx, p.m.address()+path))
	p.until("the page is there", state+` !== ""`)
}

func (p *person) reload() {
	p.Helper()
	ctx, cancel := p.within(patience)
	defer cancel()
	p.must(p.page.Reload(ctx))
	p.until("the page is there again", state+` !== ""`)
}

func (p *person) click(query chromium.Query) {
	p.Helper()
	ctx, cancel := p.within(time.Minute)
	defer cancel()
	p.must(p.page.Click(ctx, query))
}

func (p *person) press(keys ...string) {
	p.Helper()
	for _, key := range keys {
		p.must(p.page.Press(p.Context(), key))
	}
}

func (p *person) typed(text string) {
	p.Helper()
	p.must(p.page.Type(p.Context(), text))
}

func (p *person) wait(query chromium.Query) {
	p.Helper()
	ctx, cancel := p.within(patience)
	defer cancel()
	_, err := p.page.WaitFor(ctx, query)
	p.must(err)
}

func button(name string) chromium.Query { return chromium.Role("button", name) }

var field = chromium.Role("textbox", "Message the agent")

// send writes a message and presses the key that sends it, and waits until the field is empty again: the host has it.
func (p *person) send(text, key string) {
	p.Helper()
	p.click(field)
	p.typed(text)
	p.press(key)
	p.prompts++
	p.until("the message is sent", `(document.querySelector(".composer textarea")?.value ?? "") === ""`)
}

// wantsOf says what to do with what waits for the person.
type wants struct {
	approve []string // names of buttons, one for each card in order; the last for all further ones; none: "Allow once"
	answer  func(n int)
}

// follow watches jobs until their last step is answered and the page rests, and decides what waits for the person.
func (p *person) follow(w wants, jobs ...job) {
	p.Helper()
	cards, questions, idle := 0, 0, 0
	for begin := time.Now(); ; {
		done := !slices.ContainsFunc(jobs, func(j job) bool { next, steps := p.m.model.asked(j); return next < steps })
		switch p.becomes("idle", "approval", "question", "running") {
		case "idle":
			if done {
				return
			}
			if idle++; idle > 1000 { // some 50 s of frames: a message that was sent has a turn long before
				p.look("stuck")
				p.Fatalf("the page rests, and the jobs %v are not done", jobs)
			}
		case "approval":
			name := "Allow once"
			if len(w.approve) > 0 {
				name = w.approve[min(cards, len(w.approve)-1)]
			}
			cards++
			id := eval[string](p, `document.querySelector("[data-approval-id]")?.dataset.approvalId ?? ""`)
			if id == "" {
				continue // withdrawn
			}
			p.click(button(name))
			p.until("the card is gone", fmt.Sprintf(`document.querySelector('[data-approval-id=%q]') === null`, id))
		case "question":
			questions++
			w.answer(questions)
		}
		if time.Since(begin) > 2*patience {
			p.look("stuck")
			p.Fatalf("the jobs %v do not end; the page is %q", jobs, p.now())
		}
		p.must(p.page.Frames(p.Context(), 3))
	}
}

// do sends a job and follows it.
func (p *person) do(w wants, j job) {
	p.Helper()
	p.send(j.prompt, "Enter")
	p.follow(w, j)
}

// id is the session that is open.
func (p *person) id() string {
	id, _ := p.page.RootAttribute("data-session")
	return id
}

// said is what the page shows of the conversation, article by article.
func (p *person) said() []string {
	p.Helper()
	return eval[[]string](p, `[...document.querySelectorAll("[role=log] article")].map((e) => e.innerText.replace(/\s+/g, " "))`)
}

// check holds the page against itself after a reload, and everything else against what was asked for.
func (p *person) check(part string) {
	p.Helper()
	p.becomes("idle")
	p.look(part)
	before := p.said()
	p.reload()
	p.becomes("idle")
	after := p.said()
	if n := min(len(before), len(after)); !slices.Equal(before[len(before)-n:], after[len(after)-n:]) {
		for i := range n {
			if b, a := before[len(before)-n+i], after[len(after)-n+i]; b != a {
				p.Errorf("%s: the page shows\n%.2000s\nand loaded again\n%.2000s", part, b, a)
				break
			}
		}
	}
	if len(after) == 0 {
		p.Errorf("%s: nothing is shown after a reload", part)
	}
	p.m.wantLogs(part)
	p.m.wantWorld(part)
	p.wantQuiet(part)
	if left := p.m.family(); len(left) > 0 {
		p.Errorf("%s: the host has left these running: %q", part, left)
	}
	p.sample(part)
}

// wantQuiet checks that nothing went wrong in the page since it was asked last.
func (p *person) wantQuiet(part string) {
	p.Helper()
	events := p.visit.Feed().Since(p.seen)
	p.seen += len(events)
	for _, event := range events {
		switch data := event.Data.(type) {
		case chromium.PageError, chromium.Violation, chromium.Crash, chromium.Blind:
			p.Errorf("%s: %s", part, event)
		case chromium.Console:
			if data.Level == chromium.Error || data.Level == chromium.Warning {
				p.Errorf("%s: %s", part, event)
			}
		}
	}
}

// forgive takes note of what a page says when its host goes: it may.
func (p *person) forgive() { p.seen += len(p.visit.Feed().Since(p.seen)) }
