package composer_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
)

// paste puts lines into the clipboard and from there into the field; fonts are those that the field has when the browser tells of the
// paste, which is after it has laid it out.
func paste(s *scaffold.Stage, line string, lines int) (fonts string) {
	s.Helper()
	read[any](s, `navigator.clipboard.writeText(`+strconv.Quote(line+"\n")+`.repeat(`+strconv.Itoa(lines)+`)).then(() => {
		const field = document.querySelector(".composer textarea");
		field.focus();
		field.addEventListener("input", () => globalThis.fonts = getComputedStyle(field).fontFamily, { once: true, capture: true });
	})`)
	s.Press("Control+v")
	return read[string](s, "fonts")
}

func pastes() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "composer",
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			if fonts := paste(s, "All work and no play. 🙂 <b>", 10); !strings.HasPrefix(fonts, `"Inter`) {
				s.Errorf("ten lines are drawn with %s", fonts)
			}
			empty(s)
			if fonts := paste(s, "All work and no play. 🙂 <b>", 1000); !strings.HasPrefix(fonts, "system-ui") {
				s.Errorf("a thousand lines are laid out with %s, and each emoji is looked up by itself", fonts)
			}
			if got := read[int](s, `document.querySelector(".composer textarea").value.split("🙂").length - 1`); got != 1000 {
				s.Errorf("%d lines are in the field, want 1000", got)
			}
			s.Press("Control+z")
			wantDraft(s, "after taking the paste back", "")
		},
	}
}

// What is pasted is in the field and can be taken back. Much of it must be drawn with the system's fonts already when it is laid out first:
// with web fonts a megabyte with an emoji in each line stops the page for ten seconds.
func TestMuchThatIsPastedIsDrawnWithTheSystemsFonts(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, pastes())
}

// A page that sees how much it is only after the paste would be seen.
func TestAPasteThatIsLaidOutWithWebFontsWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := pastes()
	mutant.Edits = []scaffold.Edit{{File: "plugins/composer/client.js", Find: `onPaste:`, Put: "onCut:"}}
	scaffold.WantSeen(t, scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), "a thousand lines are laid out with")
}
