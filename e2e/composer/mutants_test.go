package composer_test

import (
	"strings"
	"testing"
	"time"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func isToolCall(e session.Event) bool { return e.Type == session.TypeToolCall }

// A page that takes the Enter of an input method for its own would be seen, and so would one that shows a late answer's files.
func TestAnEnterOfTheInputMethodThatSendsWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, blind := range map[string]string{
		"inside the composition": `Object.defineProperty(KeyboardEvent.prototype, "isComposing", { get: () => false });
			Object.defineProperty(KeyboardEvent.prototype, "keyCode", { get: () => 13 }); null`,
		"after the composition": `Object.defineProperty(KeyboardEvent.prototype, "keyCode", { get: () => 13 }); null`,
	} {
		mutant := scenario()
		mutant.Drive = func(s *scaffold.Stage) {
			s.Open("/")
			read[any](s, blind)
			compose(s)
		}
		mutant.Check = nil
		failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
		if !strings.Contains(failures, "composition the draft is") {
			t.Errorf("%s: no failure speaks of the draft:\n%s", name, failures)
		}
	}
}

// A page that forgets a draft when it is loaded again, and one that gives back what the host has already, would be seen.
func TestADraftThatAReloadLosesOrDoublesWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, broken := range []struct {
		edit  scaffold.Edit
		drive func(*scaffold.Stage)
		says  string
	}{
		{
			edit:  scaffold.Edit{File: "shared/keylane.js", Find: `\(\)=>sessionStorage`, Put: "()=>({getItem:()=>null,setItem(){},removeItem(){}})"},
			drive: func(s *scaffold.Stage) { write(s, "half a thought"); outliveReloads(s) },
			says:  "after a reload the draft is",
		},
		{
			edit:  scaffold.Edit{File: "plugins/composer/client.js", Find: `\.knows\(`, Put: `.knows("no"+`},
			drive: func(s *scaffold.Stage) { s.Send(hello); s.Settle(); write(s, path); sendUnheard(s) },
			says:  "after a reload before the answer the draft is",
		},
	} {
		mutant := scenario()
		mutant.Edits = []scaffold.Edit{broken.edit}
		mutant.Drive = func(s *scaffold.Stage) { s.Open("/"); s.Click(field); broken.drive(s) }
		mutant.Check = nil
		scaffold.WantSeen(t, scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), broken.says)
	}
}

// At the width of a phone the lists stay inside the window, and everything speaks the person's language.
func TestTheListsStayInsideANarrowWindow(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, scaffold.Scenario{
		Name:    "composer",
		Prepare: plant,
		Page:    chromium.ContextOptions{Width: 480, Height: 800, Locale: "zh-CN"},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Click(chromium.Role("textbox", "给智能体发消息"))
			for sign, list := range map[string]string{"/": "命令", "@": "文件"} {
				write(s, sign)
				s.WaitFor(chromium.Role("listbox", list))
				if outside := read[string](s, `JSON.stringify([...document.querySelectorAll(".floating, [role=option]")].map(e => e.getBoundingClientRect())
					.filter(r => r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight))`); outside != "[]" {
					s.Errorf("%s is outside the window: %s", list, outside)
				}
				do(s, s.Page.Fill(s.Context, chromium.Role("textbox", "给智能体发消息"), ""))
			}
		},
	})
}
