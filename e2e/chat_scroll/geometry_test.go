package chat_scroll_test

import (
	"encoding/json"
	"math"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// What the contract allows, in pixels: of a row, and of the bottom.
const (
	rowTolerance    = 2
	bottomTolerance = 1
)

var (
	port         = chromium.CSS("[data-conversation-scroll]")
	backToBottom = chromium.Role("button", "Back to bottom")
	loadEarlier  = chromium.Role("button", "Load earlier")
	composer     = chromium.Role("textbox", "Message the agent")
)

// rest waits until fonts are there and nothing has moved for some frames: a scroll that is under way has come to its end.
func rest(s *scaffold.Stage) {
	s.Helper()
	evaluate[bool](s, `(async () => {
		await document.fonts.ready;
		const place = () => {
			const port = document.querySelector("[data-conversation-scroll]");
			return port ? [port.scrollTop, port.scrollHeight, port.clientHeight, port.clientWidth].join() : "";
		};
		for (let same = 0, last = place(); same < 4;) {
			await new Promise(requestAnimationFrame);
			const now = place();
			same = now === last ? same + 1 : 0;
			last = now;
		}
		return true;
	})()`)
}

// top is how far below the upper edge of what scrolls the row begins that says text; the innermost element is meant, so that the row of a
// turn's last answer and the answer that it holds are told apart by what is in them.
func top(s *scaffold.Stage, text string) float64 {
	s.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		s.Fatalf("%v", err)
	}
	found := evaluate[[]float64](s, `(() => {
		const edge = document.querySelector("[data-conversation-scroll]").getBoundingClientRect().top;
		return [...document.querySelectorAll("main [data-row-key]")].filter((row) => row.textContent.includes(`+string(quoted)+`)).map((row) => row.getBoundingClientRect().top - edge);
	})()`)
	if len(found) != 1 {
		s.Fatalf("%d rows say %q, want one", len(found), text)
	}
	return found[0]
}

// atTop names the first row whose beginning is in view, by the text that it begins with.
func atTop(s *scaffold.Stage) string {
	s.Helper()
	text := evaluate[string](s, `(() => {
		const edge = document.querySelector("[data-conversation-scroll]").getBoundingClientRect().top;
		return [...document.querySelectorAll("main [data-row-kind=user], main [data-row-kind=text]")].find((row) => row.getBoundingClientRect().top >= edge)?.textContent ?? "";
	})()`)
	if text == "" {
		s.Fatalf("no row begins in view")
	}
	return name(text)
}

// A place is a row and where it stands.
type place struct {
	row string
	top float64
}

// here takes the place of the first row that begins in view.
func here(s *scaffold.Stage) place {
	s.Helper()
	row := atTop(s)
	return place{row, top(s, row)}
}

// wantPlace ends the case unless the row still stands where it stood.
func wantPlace(s *scaffold.Stage, when string, want place) {
	s.Helper()
	rest(s)
	if got := top(s, want.row); math.Abs(got-want.top) > rowTolerance {
		s.Fatalf("%s: %q has moved by %.1f px, to %.1f px below the top", when, want.row, got-want.top, got)
	}
}

// distance is how far the view is above the true bottom.
func distance(s *scaffold.Stage) float64 {
	s.Helper()
	return evaluate[float64](s, `(() => {
		const port = document.querySelector("[data-conversation-scroll]");
		return port.scrollHeight - port.clientHeight - port.scrollTop;
	})()`)
}

// wantBottom checks that the view is at the bottom.
func wantBottom(s *scaffold.Stage, when string) {
	s.Helper()
	rest(s)
	if d := distance(s); math.Abs(d) > bottomTolerance {
		s.Errorf("%s: the view is %.1f px above the bottom", when, d)
	}
}

// wheel turns the wheel over the conversation, and waits until the view rests.
func wheel(s *scaffold.Stage, by float64) {
	s.Helper()
	do(s, s.Page.Wheel(s.Context, port, 0, by))
	rest(s)
}

// away turns the wheel up, and the page offers the way back.
func away(s *scaffold.Stage) {
	s.Helper()
	wheel(s, -1200)
	wantAway(s, "after a turn of the wheel")
}

// wantAway ends the case unless the page offers the way back to the bottom, as it does exactly when it does not follow.
func wantAway(s *scaffold.Stage, when string) {
	s.Helper()
	rest(s)
	if !offers(s) {
		s.Fatalf("%s: the reader has left, and the page follows all the same", when)
	}
}

// wantPinned ends the case unless the page follows again.
func wantPinned(s *scaffold.Stage, when string) {
	s.Helper()
	rest(s)
	if offers(s) {
		s.Fatalf("%s: the reader has come back, and the page does not follow", when)
	}
}

func offers(s *scaffold.Stage) bool {
	s.Helper()
	found, err := s.Page.FindAll(s.Context, backToBottom)
	do(s, err)
	return len(found) > 0
}

func do(s *scaffold.Stage, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
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
