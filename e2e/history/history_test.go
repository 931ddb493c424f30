// Package history_test opens cold sessions that hold a row of every kind, and logs in the shapes of older versions: all of it is shown from
// the disk as it was shown live, and a reload shows the same. The sessions are put on disk through the real store; no model is asked.
package history_test

import (
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const sessionID = "session-history"

var (
	conversation = chromium.Role("main", "Conversation")
	written      = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// rows counts the rows of each kind on the page.
const rows = `Object.fromEntries(Object.entries(Object.groupBy([...document.querySelectorAll("main [data-row-kind]")], (row) => row.dataset.rowKind)).map(([kind, of]) => [kind, of.length]))`

// openRows opens every row that opens.
const openRows = `[...document.querySelectorAll("main [data-row-kind] [aria-expanded=false]")].map((button) => button.click()).length`

func opened(log []byte, look func(*scaffold.Stage)) scaffold.Scenario {
	return scaffold.Scenario{
		Name:  "history",
		Seeds: []scaffold.Seed{{SessionID: sessionID, Log: log, LastActivity: written}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + sessionID)
			look(s)
		},
	}
}

func everyKind(t *testing.T) scaffold.Scenario {
	return opened(everything(t), func(s *scaffold.Stage) {
		want := map[string]int{"user": 12, "context": 4, "reasoning": 1, "text": 10, "tool": 19, "retry": 2, "failure": 1, "ending": 4, "compaction": 2, "unknown": 1}
		got := evaluate[map[string]int](s, rows)
		for kind, n := range want {
			if got[kind] != n {
				s.Errorf("%d rows of the kind %s, want %d", got[kind], kind, n)
			}
		}
		s.Golden("closed", conversation)
		if n := evaluate[int](s, openRows); n != want["context"]+want["reasoning"]+want["tool"]+want["unknown"]+1 {
			s.Errorf("%d rows open", n)
		}
		s.Golden("open", conversation)
		s.Reload()
		s.Golden("closed", conversation)
	})
}

func TestEveryKindOfRowIsShownFromDisk(t *testing.T) { scaffold.Run(t, everyKind(t)) }

// wantText checks that the page says each of the words, in that order.
func wantText(s *scaffold.Stage, words ...string) {
	s.Helper()
	shown := s.Text("main")
	rest := shown
	for _, word := range words {
		_, after, found := strings.Cut(rest, word)
		if !found {
			s.Errorf("the page does not say %q where it should:\n%s", word, shown)
			return
		}
		rest = after
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
