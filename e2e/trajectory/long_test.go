package trajectory_test

import (
	"fmt"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// line is what the chosen row says.
func line(s *scaffold.Stage) string {
	s.Helper()
	return evaluate[string](s, `document.querySelector("tr[aria-current] .record-content")?.innerText ?? "nothing is chosen"`)
}

// height is where the chosen row stands on the screen.
func height(s *scaffold.Stage) float64 {
	s.Helper()
	return evaluate[float64](s, `document.querySelector("tr[aria-current]").getBoundingClientRect().top`)
}

// jump goes from a turn's command in the conversation to its record. Only the call of that turn says "echo <turn>".
func jump(s *scaffold.Stage, turn int) {
	s.Helper()
	s.Open("/s/" + long)
	s.Click(chromium.Role("button", fmt.Sprintf("Bash: echo %d", turn)))
	s.Click(chromium.Role("button", "Show in trajectory"))
	s.WaitFor(details)
	if got, want := line(s), fmt.Sprintf(`{"command":"echo %d"}`, turn); !strings.Contains(got, want) || !shown(s) {
		s.Errorf("the jump from turn %d chose the record %q (in view: %t), want %s", turn, got, shown(s), want)
	}
}

// paging fetches older pages while a record is chosen.
func paging(s *scaffold.Stage) {
	s.Helper()
	seq, before := chosen(s), height(s)
	for _, button := range []string{"Load earlier turns", "Load all"} {
		// Without a click, which would scroll to the button.
		evaluate[any](s, fmt.Sprintf(`void [...document.querySelectorAll(".records-earlier button")].find((each) => each.textContent === %q).click()`, button))
		s.Settle()
		if got := chosen(s); got != seq {
			s.Errorf("%s: record %d is chosen, it was %d", button, got, seq)
		} else if after := height(s); after < before-1 || after > before+1 {
			s.Errorf("%s: the chosen record moved from %v to %v", button, before, after)
		}
	}
	gone(s, chromium.Role("button", "Load all"))
}

func TestInALongHistoryTheChosenRecordStays(t *testing.T) {
	scaffold.Run(t, scenario(func(s *scaffold.Stage) {
		jump(s, longTurns-4)
		s.Click(chromium.Role("tab", "Schema"))
		s.Golden("schema-elsewhere", details)
		paging(s)
		if text := s.Text(".inspector-panel"); text != "The request did not describe this tool." {
			s.Errorf("with the whole log there, the schema is said to be %q", text)
		}
		if rows := evaluate[int](s, `document.querySelectorAll("tr[data-record]").length`); rows > 80 {
			s.Errorf("%d rows are in the document, of %d turns", rows, longTurns)
		}
		s.Click(chromium.Role("button", "Show in chat"))
		s.WaitFor(chromium.CSS("[data-asked]"))
		if text := s.Text("[data-asked]"); !strings.Contains(text, fmt.Sprintf("echo %d", longTurns-4)) {
			s.Errorf("the way back led to %q", text)
		}

		// Back is the record again, and back once more the conversation.
		evaluate[any](s, "history.back()")
		s.WaitFor(details)
		if got := line(s); !strings.Contains(got, fmt.Sprintf("echo %d\"", longTurns-4)) {
			s.Errorf("back led to the record %q", got)
		}
		evaluate[any](s, "history.back()")
		s.WaitFor(chromium.Role("log", "Messages"))
	}))
}

// upwards scrolls towards the beginning of what is held: the page before comes without a click, and what is on screen stays.
func upwards(s *scaffold.Stage) {
	s.Helper()
	s.Open("/s/" + long + "/trajectory")
	s.WaitFor(chromium.Role("table", "Trajectory records"))
	const top = `(() => {
		const port = document.querySelector(".records").getBoundingClientRect();
		const row = [...document.querySelectorAll("tr[data-record]")].find((each) => each.getBoundingClientRect().top >= port.top);
		return {Record: row.dataset.record, Top: row.getBoundingClientRect().top - port.top};
	})()`
	type place struct {
		Record string
		Top    float64
	}
	rows := func() int { return evaluate[int](s, `Number(document.querySelector(".record-table").ariaRowCount)`) }
	held := rows()
	// In the very frame that draws what the scrolling shows: the page before cannot have come by then.
	before := evaluate[place](s, `new Promise((met) => {
		document.querySelector(".records").scrollTop = 400;
		requestAnimationFrame(() => met(`+top+`));
	})`)
	if err := s.Page.Frames(s.Context, 3); err != nil {
		s.Fatalf("%v", err)
	}
	s.Settle()
	if got := rows(); got <= held {
		s.Errorf("near the top there are still %d rows", got)
	}
	if after := evaluate[place](s, top); after.Record != before.Record || after.Top < before.Top-1 || after.Top > before.Top+1 {
		s.Errorf("what was at the top was %v, now it is %v", before, after)
	}
}

func TestOlderTurnsComeBeforeTheReaderReachesTheTop(t *testing.T) {
	scaffold.Run(t, scenario(upwards))
}

func TestALinkLeadsToARecordThatLiesFarBack(t *testing.T) {
	scaffold.Run(t, scenario(func(s *scaffold.Stage) {
		jump(s, longTurns-1)
		evaluate[any](s, `void [...document.querySelectorAll(".records-earlier button")].at(-1).click()`)
		s.Settle()
		s.Click(search)
		if err := s.Page.Type(s.Context, `echo 3"`); err != nil {
			s.Fatalf("%v", err)
		}
		s.Press("Enter")
		seq := chosen(s)

		s.Open(fmt.Sprintf("/s/%s/trajectory?event=%d", long, seq))
		s.WaitFor(details)
		if got := chosen(s); got != seq || !shown(s) {
			s.Errorf("the link to %d shows record %d (in view: %t)", seq, got, shown(s))
		}
		s.Click(chromium.Role("button", "Show in chat"))
		s.WaitFor(chromium.CSS("[data-asked]"))
		if text := evaluate[string](s, `document.querySelector("[data-asked]").closest("article").innerText`); !strings.Contains(text, `echo 3`) {
			s.Errorf("the way back led to %q", text)
		}
		inView := evaluate[bool](s, `(() => { const row = document.querySelector("[data-asked]").getBoundingClientRect(); return row.top >= 0 && row.bottom <= innerHeight })()`)
		if !inView {
			s.Errorf("the row that was asked for is not in view")
		}
	}))
}

// script answers the live turns.
const script = `
replies:
  - {expect: Say one, text: One.}
  - {expect: Say two, text: Two.}
`

// live is the long session going on: the table follows its end from the end, and stays where a reader has scrolled to.
func live() scaffold.Scenario {
	going := scenario(func(s *scaffold.Stage) {
		s.Open("/s/" + long + "/trajectory")
		s.WaitFor(chromium.Role("table", "Trajectory records"))
		s.Call("session.selectModel", map[string]string{"sessionId": long, "provider": "deepseek", "model": "deepseek-v4-flash"}, nil)
		s.Send("Say one.")
		s.Settle()
		if gap := evaluate[float64](s, `(() => { const port = document.querySelector(".records"); return port.scrollHeight - port.clientHeight - port.scrollTop })()`); gap > 1 {
			s.Errorf("the table is %v pixels away from its end, which it should follow", gap)
		}
		if last := evaluate[string](s, `[...document.querySelectorAll("tr[data-record]")].at(-1).innerText`); !strings.Contains(last, "One.") {
			s.Errorf("the last row says %q", last)
		}
		evaluate[any](s, `void (document.querySelector(".records").scrollTop -= 600)`)
		evaluate[any](s, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))`)
		before := evaluate[float64](s, `document.querySelector(".records").scrollTop`)
		s.Send("Say two.")
		s.Settle()
		if after := evaluate[float64](s, `document.querySelector(".records").scrollTop`); after != before {
			s.Errorf("the table followed its end although the reader was elsewhere: %v became %v", before, after)
		}
	})
	going.Provider = &scaffold.Provider{Script: script}
	return going
}

func TestTheTableFollowsItsEndFromTheEndOnly(t *testing.T) { scaffold.Run(t, live()) }

// reading looks at the trajectory in between, and is then where it was in the conversation.
func reading(s *scaffold.Stage) {
	s.Helper()
	// What stands at the top of the conversation, and where.
	const top = `(() => {
		const port = document.querySelector("[data-conversation-scroll]").getBoundingClientRect();
		const row = [...document.querySelectorAll("[data-row-key]")].find((each) => each.getBoundingClientRect().bottom > port.top);
		return row.dataset.rowKey + " at " + Math.round(row.getBoundingClientRect().top - port.top);
	})()`
	s.Open("/s/" + long)
	evaluate[any](s, `void (document.querySelector("[data-conversation-scroll]").scrollTop -= 1700)`)
	s.WaitFor(chromium.Role("button", "Back to bottom"))
	before := evaluate[string](s, top)
	s.Click(trajectory)
	s.WaitFor(chromium.Role("table", "Trajectory records"))
	s.Click(chat)
	s.WaitFor(chromium.Role("log", "Messages"))
	if after := evaluate[string](s, top); after != before {
		s.Errorf("the reader was at %s and is at %s", before, after)
	}
}

func TestTheConversationKeepsItsPlace(t *testing.T) { scaffold.Run(t, scenario(reading)) }
