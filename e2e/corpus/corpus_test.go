// Package corpus_test opens every log of the corpus, which another program wrote over several of its versions, in the page: reads it back to
// its first turn, opens every row, scrolls through, and compares what became rows with what the log holds. Any error of page or console
// fails it. It is manual: the corpus is not part of the repository (see seed.Corpus, tools/corpus).
package corpus_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// shown is what the page shows of a log.
type shown struct {
	Failure string   // why there is no transcript, or a part of the page that gave up
	Prompts []string // as the rows show them
	Calls   int
	Text    int
	Rows    int
	Closed  int // rows that could not be opened
	Unknown int // rows of events that the page has no row for
}

const reading = `(() => {
	const kinds = (kind) => [...document.querySelectorAll("main [data-row-kind='" + kind + "']")];
	return {
		Failure: [...document.querySelectorAll("[role=alert], .failure, [data-plugin-failed]")].map((each) => each.innerText).join("; "),
		Prompts: kinds("user").map((row) => row.querySelector(".user-text").textContent),
		Calls: kinds("tool").length,
		Text: kinds("text").length,
		Rows: document.querySelectorAll("main [data-row-kind]").length,
		Closed: document.querySelectorAll("main [data-row-kind] [aria-expanded=false]").length,
		Unknown: kinds("unknown").length,
	};
})()`

func TestEveryLogOfTheCorpusOpensInThePage(t *testing.T) {
	scaffold.OnlyReplay(t)
	var total figures
	scaffold.Run(t, walk(t, nil, &total))
	t.Log(total)
}

// figures are what the walk came to.
type figures struct{ logs, events, rows, prompts, calls, texts, unknown, pages int }

func (f figures) String() string {
	return fmt.Sprintf("%d logs with %d events opened: %d rows, of them %d prompts, %d calls, %d texts, %d events of unknown types; %d older pages were loaded",
		f.logs, f.events, f.rows, f.prompts, f.calls, f.texts, f.unknown, f.pages)
}

// walk is the scenario; only names the logs to open, nil all of them.
func walk(t *testing.T, only []string, total *figures) scaffold.Scenario {
	corpus, err := seed.Corpus()
	if err != nil {
		t.Skip(err)
	}
	var logs []log
	return scaffold.Scenario{
		Name: "corpus",
		Prepare: func(folders scaffold.Folders) (err error) {
			logs, err = sow(context.Background(), corpus, folders)
			return err
		},
		Drive: func(s *scaffold.Stage) {
			for _, each := range logs {
				if only == nil || slices.Contains(only, each.name) {
					openWhole(s, each, total)
				}
			}
		},
	}
}

// openWhole opens one log and everything in it.
func openWhole(s *scaffold.Stage, each log, total *figures) {
	s.Helper()
	s.Open("/s/" + each.id)
	for evaluate[bool](s, `[...document.querySelectorAll(".conversation-earlier button")].length > 0`) {
		s.Click(chromium.Role("button", "Load earlier"))
		s.Settle()
		total.pages++
	}
	got := evaluate[shown](s, `(async () => {
		const port = document.querySelector("[data-conversation-scroll]");
		const painted = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
		for (let depth = 0; depth < 3; depth++) { // a row, what it shows, what of that was too long to be shown
			for (const button of document.querySelectorAll("main [data-row-kind] [aria-expanded=false]")) button.click();
			await painted();
		}
		for (let top = 0; port && top < port.scrollHeight; top += port.clientHeight) {
			port.scrollTop = top;
			await painted();
		}
		return `+reading+`;
	})()`)
	if got.Failure != "" {
		s.Errorf("%s: %s", each.name, got.Failure)
	}
	if strings.Join(got.Prompts, "\x00") != strings.Join(each.want.Prompts, "\x00") {
		s.Errorf("%s: the page shows the prompts %.200q, the log has %.200q", each.name, got.Prompts, each.want.Prompts)
	}
	if got.Calls < each.want.Calls || got.Text < each.want.Text || got.Closed > 0 {
		s.Errorf("%s: of %d calls %d are rows, of %d texts %d; %d rows stay closed", each.name, each.want.Calls, got.Calls, each.want.Text, got.Text, got.Closed)
	}
	total.logs, total.events, total.rows = total.logs+1, total.events+each.want.Events, total.rows+got.Rows
	total.prompts, total.calls, total.texts = total.prompts+len(got.Prompts), total.calls+got.Calls, total.texts+got.Text
	total.unknown += got.Unknown
}

func evaluate[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return value
}
