package composer_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// A very long message is cut on the page, whole when it is asked for, and whole again when it is recalled.
func TestAVeryLongMessageIsCutUntilItIsAskedFor(t *testing.T) {
	scaffold.OnlyReplay(t)
	log, err := os.ReadFile("../../fixtures/composer/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	long := "Read this: " + strings.Repeat("word ", 4_000) + "end."
	const id = "session-long"
	scaffold.Run(t, scaffold.Scenario{
		Name:  "composer",
		Seeds: []scaffold.Seed{{SessionID: id, Log: bytes.ReplaceAll(log, []byte(`"text":"`+gate+`"`), []byte(`"text":"`+long+`"`)), LastActivity: time.Unix(1_800_000_000, 0)}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + id)
			const shown = `[...document.querySelectorAll("[data-row-kind=user] p")].at(-1).textContent.length`
			if got := read[int](s, shown); got > 5_000 {
				s.Errorf("%d characters are shown", got)
			}
			s.Click(chromium.Role("button", "Show all 20,015 characters"))
			s.WaitFor(chromium.Role("button", "Show less"))
			if got := read[int](s, shown); got != len(long) {
				s.Errorf("%d characters are shown, want %d", got, len(long))
			}
			s.Click(field)
			s.Press("ArrowUp")
			if got := read[int](s, `document.querySelector(".composer textarea").value.length`); got != len(long) {
				s.Errorf("%d characters are recalled, want %d", got, len(long))
			}
		},
	})
}
