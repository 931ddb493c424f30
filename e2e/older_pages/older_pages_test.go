// Package older_pages_test reads long conversations back to their beginning, page by page: each page comes in one commit, joins what is there
// without a gap or a double, and leaves the row that the reader looks at where it is. No model is asked.
package older_pages_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	sessionID = "session-long"
	page      = 24 // turns
)

var earlier = chromium.Role("button", "Load earlier")

// put stores a generated history.
func put(turns int) func(scaffold.Folders) error {
	return func(folders scaffold.Folders) (err error) {
		ctx := context.Background()
		store, err := jsonl.New(jsonl.Config{Root: folders.Sessions, PackChunks: true}, clock.System())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close(ctx)) }()
		_, err = seed.Generate(ctx, store, seed.History{SessionID: sessionID, Cwd: folders.Workspace, Turns: turns, LastActivity: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
		return err
	}
}

// A place is where the named row stands, in pixels below the top of what scrolls.
type place struct {
	Row string
	Top float64
}

// watch puts the first row of the conversation, below the button, on screen, opens a row near it, and begins to count commits.
const watch = `(() => {
	const port = document.querySelector("[data-conversation-scroll]");
	port.scrollTop = 0;
	const commits = globalThis.commits = [];
	new MutationObserver((changes) => {
		if (changes.some((change) => [...change.addedNodes].some((node) => node.nodeName === "ARTICLE"))) commits.push(document.querySelectorAll("article[aria-label=You]").length);
	}).observe(port, { childList: true, subtree: true });
	return true;
})()`

const seen = `(() => {
	const port = document.querySelector("[data-conversation-scroll]");
	const row = globalThis.followed ??= document.querySelector("[data-row-kind=user]").dataset.rowKey;
	const top = document.querySelector("[data-row-key='" + row + "']").getBoundingClientRect().top - port.getBoundingClientRect().top;
	return { Row: row, Top: top };
})()`

func scenario(turns int) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "older_pages",
		Prepare: put(turns),
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			for shown := page; shown < turns; shown = min(shown+page, turns) {
				wantPrompts(s, turns-shown+1, turns)
				if !loadEarlier(s, min(shown+page, turns)) {
					return
				}
			}
			wantPrompts(s, 1, turns)
			if err := s.Page.WaitGone(s.Context, earlier); err != nil {
				s.Errorf("there is nothing earlier, and still it can be asked for: %v", err)
			}
			if focused := evaluate[string](s, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.nodeName`); focused != "Messages" {
				s.Errorf("the button took the focus with it, to %s", focused)
			}
		},
	}
}

// loadEarlier asks for a page with the keyboard, after which so many turns are to be there. It reports whether all was well.
func loadEarlier(s *scaffold.Stage, turns int) bool {
	s.Helper()
	evaluate[bool](s, watch)
	evaluate[bool](s, `(globalThis.followed = undefined, true)`)
	if err := s.Page.Frames(s.Context, 2); err != nil {
		s.Fatalf("%v", err)
	}
	before := evaluate[place](s, seen)
	if err := s.Page.Focus(s.Context, earlier); err != nil {
		s.Fatalf("%v", err)
	}
	s.Press("Enter")
	s.Settle()
	if err := s.Page.Frames(s.Context, 2); err != nil {
		s.Fatalf("%v", err)
	}
	after := evaluate[place](s, seen)
	well := true
	if moved := math.Abs(after.Top - before.Top); moved > 2 || after.Row != before.Row {
		s.Errorf("the row %s has moved by %.1f px, to %.1f", before.Row, moved, after.Top)
		well = false
	}
	if commits := evaluate[[]int](s, `globalThis.commits`); fmt.Sprint(commits) != fmt.Sprint([]int{turns}) {
		s.Errorf("the page came in commits of %v turns, want one of %d", commits, turns)
		well = false
	}
	return well
}

// wantPrompts checks that the prompts of these turns are on the page, each once, in their order.
func wantPrompts(s *scaffold.Stage, first, last int) {
	s.Helper()
	numbers := evaluate[[]int](s, `[...document.querySelectorAll("main [data-row-kind=user] .user-text")].map((text) => Number(/^Prompt (\d+):/.exec(text.textContent)?.[1]))`)
	well := len(numbers) == last-first+1
	for i, number := range numbers {
		well = well && number == first+i
	}
	if calls := evaluate[int](s, `document.querySelectorAll("main [data-row-kind=tool]").length`); !well || calls != last-first+1 {
		s.Errorf("the page has the prompts %v and %d calls, want %d to %d", numbers, calls, first, last)
	}
}

func TestAnEightyEightTurnConversationIsReadBack(t *testing.T) { scaffold.Run(t, scenario(88)) }

func TestAFiveHundredTurnConversationIsReadBack(t *testing.T) { scaffold.Run(t, scenario(500)) }

func TestAPageThatComesOtherwiseWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name  string
		edits []scaffold.Edit
		says  string
	}{
		{"what is on screen moves", []scaffold.Edit{
			{File: "plugins/conversation/client.js", Find: `([\w$]+)\.scrollTop\+([\w$]+)-([\w$]+)\.current\.lead`, Put: `$1.scrollTop`},
			{File: "plugins/conversation/client.js", Find: `:([\w$]+)\.value\?[\w$]+\(!1\):`, Put: `:$1.value?void 0:`},
		}, "has moved by"},
		{"a page joins with a gap", []scaffold.Edit{{File: "shared/keylane.js", Find: `events:([\w$]+)\.events\.concat\(([\w$]+)\.events\)`, Put: `events:$1.events.slice(40).concat($2.events)`}}, "commits of"},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			from := scenario(88)
			from.Edits = mutant.edits
			scaffold.WantSeen(t, scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, from) }), mutant.says)
		})
	}
}

func evaluate[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return value
}
