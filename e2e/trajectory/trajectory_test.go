// Package trajectory_test looks at whole logs in the trajectory: as a table, on the timeline, record by record. It jumps from the
// conversation to a record and back, in a long history too, where what was chosen stays chosen while older pages come in front. No model is
// asked: the logs lie on disk.
package trajectory_test

import (
	"fmt"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

var (
	view       = chromium.Role("tabpanel", "Trajectory")
	trajectory = chromium.Role("tab", "Trajectory")
	chat       = chromium.Role("tab", "Chat")
	details    = chromium.Role("complementary", "Details")
	plot       = chromium.Role("slider", "Timeline overview; drag horizontally to focus events")
	search     = chromium.Role("searchbox", "Search trajectory")
)

// record is the row of the record that event seq began.
func record(seq int) chromium.Query {
	return chromium.CSS(fmt.Sprintf("tr[data-record='%d'] .record-button", seq))
}

func scenario(drive func(*scaffold.Stage)) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "trajectory",
		Seeds:   []scaffold.Seed{{SessionID: eventful, Log: history(), LastActivity: at}},
		Prepare: prepare,
		Drive:   drive,
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

// chosen is the seq of the record that is chosen in the table, -1 for none.
func chosen(s *scaffold.Stage) int {
	s.Helper()
	return evaluate[int](s, `Number(document.querySelector("tr[aria-current]")?.dataset.record ?? -1)`)
}

// shown tells whether the chosen row is inside of what the table shows.
func shown(s *scaffold.Stage) bool {
	s.Helper()
	return evaluate[bool](s, `(() => {
		const row = document.querySelector("tr[aria-current]")?.getBoundingClientRect(), port = document.querySelector(".records").getBoundingClientRect();
		return row !== undefined && row.top >= port.top - 0.5 && row.bottom <= port.bottom + 0.5;
	})()`)
}

func gone(s *scaffold.Stage, query chromium.Query) {
	s.Helper()
	if err := s.Page.WaitGone(s.Context, query); err != nil {
		s.Fatalf("%v", err)
	}
}

// seqs of the records that the tests name, as history writes them.
func seqOf(s *scaffold.Stage, kind, words string) int {
	s.Helper()
	seq := evaluate[int](s, fmt.Sprintf(`Number([...document.querySelectorAll("tr[data-kind=%s]")].find((row) => row.innerText.includes(%q))?.dataset.record ?? -1)`, kind, words))
	if seq < 0 {
		s.Fatalf("no %s row says %q in\n%s", kind, words, s.Text(".record-table"))
	}
	return seq
}

func TestEveryKindOfRecordIsToldApart(t *testing.T) {
	scaffold.Run(t, scenario(func(s *scaffold.Stage) {
		s.Open("/s/" + eventful)
		s.Click(trajectory)
		s.WaitFor(chromium.Role("table", "Trajectory records"))
		s.Golden("table", view)
		wantSafe(s)
		if starts := evaluate[int](s, `document.querySelectorAll("tr[data-turn-start=true]").length`); starts != 3 {
			s.Errorf("%d rows begin a turn, want 3", starts)
		}
	}))
}

func wantSafe(s *scaffold.Stage) {
	s.Helper()
	if text := s.Text("body"); strings.Contains(text, leaked) || strings.Contains(text, "5ecre7") {
		s.Errorf("the page says what the provider echoed:\n%s", text)
	}
}

func TestARecordTellsEverythingTheLogHas(t *testing.T) {
	scaffold.Run(t, scenario(func(s *scaffold.Stage) {
		s.Open("/s/" + eventful + "/trajectory")
		s.Click(record(seqOf(s, "tool", "notes.txt")))
		for _, part := range []string{"Summary", "Payload", "Result", "Schema", "Timing"} {
			s.Click(chromium.Role("tab", part))
			s.Golden("tool-"+strings.ToLower(part), details)
		}
		s.Click(chromium.Role("tab", "Payload"))
		s.Click(chromium.Role("button", "Copy"))
		s.WaitFor(chromium.Role("button", "Copied"))
		if got, err := s.Page.ReadClipboard(s.Context); err != nil || got != "{\n  \"file_path\": \"notes.txt\",\n  \"limit\": 12345678901234567890,\n  \"limit\": 7\n}" {
			s.Errorf("copied %q, %v", got, err)
		}
		// The choice is in the address.
		before := chosen(s)
		s.Reload()
		s.WaitFor(details)
		if after := chosen(s); after != before || !shown(s) {
			s.Errorf("after a reload record %d is chosen (in view: %t), it was %d", after, shown(s), before)
		}
		s.Golden("tool-summary", details)

		// Arrows go on from there, Escape closes and gives the focus back to the row.
		s.Click(record(seqOf(s, "user", "Thank you.")))
		s.WaitFor(chromium.Role("heading", "User"))
		s.Press("ArrowUp")
		s.WaitFor(chromium.Role("heading", "Request #4"))
		s.Click(chromium.Role("tab", "Timing"))
		s.Golden("answer-timing", details)
		s.Press("Escape")
		gone(s, details)
		if focus := evaluate[string](s, `document.activeElement.textContent`); focus != "Request #4" {
			s.Errorf("the focus went to %q", focus)
		}
		s.Press("Enter")
		s.WaitFor(details)
		wantSafe(s)
	}))
}
