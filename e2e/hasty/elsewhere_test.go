package hasty_test

import (
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

const (
	refused   = "Say nothing, this is refused."
	afterward = "Typed for the one that is read."
	six       = "Say six."
)

const elsewhereAnswers = `
replies:
  - {expect: Say one, text: One.}
  - {expect: Say two, text: Two.}
  - {expect: Say six, text: Six.}
`

// click opens a session of the sidebar by its title.
func click(s *scaffold.Stage, title string) {
	s.Helper()
	s.Click(chromium.RoleContaining("treeitem", title))
	s.WaitFor(chromium.Role("heading", title))
}

// refuse keeps the page's prompt of that text on the wire until release, and then loses it.
func refuse(s *scaffold.Stage, text string) {
	s.Helper()
	read[any](s, `(() => { const ask = fetch; let open; const gate = new Promise((done) => open = done);
		globalThis.release = () => { globalThis.fetch = ask; open() };
		globalThis.fetch = async (...all) => { if (!String(all[1]?.body).includes("`+text+`")) return ask(...all); await gate; throw new TypeError("lost") } })()`)
}

// elsewhere is somebody who opens another session before the one before it has taken the message.
func elsewhere() scaffold.Scenario {
	return scaffold.Scenario{
		Name:     "hasty",
		Provider: &scaffold.Provider{Script: elsewhereAnswers},
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(one)
			s.Settle()
			first := s.SessionID()
			s.Call("session.rename", map[string]any{"sessionId": first, "title": "The first"}, nil)

			// From the start page, and the session is made while another one is read.
			s.Click(chromium.Role("button", "New session"))
			s.Click(chromium.Role("textbox", "Message the agent"))
			hold(s, "session.create")
			write(s, two, "Enter")
			write(s, early)
			click(s, "The first")
			write(s, afterward)
			s.SendBy(func() { release(s) })
			s.Settle()
			if open := s.SessionID(); open != first {
				s.Errorf("the page shows %s, and the person has opened %s", open, first)
			}
			wantDraft(s, "in the session that is read", afterward)
			var all struct {
				Items []struct{ SessionID string }
			}
			s.Call("session.list", map[string]any{}, &all)
			if len(all.Items) != 2 {
				s.Fatalf("there are %d sessions, want 2", len(all.Items))
			}
			for _, item := range all.Items {
				if item.SessionID != first {
					s.Call("session.rename", map[string]any{"sessionId": item.SessionID, "title": "The second"}, nil)
				}
			}
			click(s, "The second")
			s.WaitFor(chromium.Role("StaticText", "Two."))
			wantDraft(s, "in the session that was made meanwhile", early)

			// From a session, and it is refused while another one is read: what was written stays where it was written.
			s.Press("Control+a")
			refuse(s, refused)
			write(s, refused, "Enter")
			click(s, "The first")
			release(s)
			s.WaitFor(chromium.RoleContaining("StaticText", "Your text is kept where you wrote it."))
			wantDraft(s, "in the session that is read", afterward)
			click(s, "The second")
			s.WaitFor(chromium.RoleContaining("StaticText", "Your text is kept below; send it again."))
			wantDraft(s, "where it was refused", refused)

			// A message on its way keeps nobody in another session from sending.
			s.Press("Control+a")
			refuse(s, refused)
			write(s, refused, "Enter")
			click(s, "The first")
			s.Press("Control+a")
			s.SendBy(func() { write(s, six, "Enter") })
			s.WaitFor(chromium.Role("StaticText", "Six."))
			release(s)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantPrompts(one, six)
			s.WantDurable()
		},
	}
}

func TestAPersonWhoHasGoneElsewhereIsLeftThere(t *testing.T) {
	scaffold.OnlyReplay(t)
	scaffold.Run(t, elsewhere())
}

// Each is a page that mixes up where the person is with where they were.
func TestAPageThatPullsSomebodyAwayIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, c := range map[string]struct{ file, find, put, says string }{
		"to the new session": {"shared/keylane.js", `this\.#(\w+)\.value\?new \w+\((\w),this\.rpc\):`, ``, "and the person has opened"},
		"with a text":        {"plugins/composer/client.js", `let (\w+)=(\w+\.open\.value\?\.id\?\?"");(.{0,120}?)\|\|(\w+)\(\w+,`, `let ${1}=${2};${3}||${4}(${1},`, "where it was refused"},
		"with a key":         {"plugins/composer/client.js", `\((\w+)\.value\.has\(\w+\)\)\{`, `(${1}.value.size>0){`, "the host has the prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			mutant := elsewhere()
			mutant.Edits = []scaffold.Edit{{File: c.file, Find: c.find, Put: c.put}}
			scaffold.WantSeen(t, scaffold.TrialWithin(t, 10*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), c.says)
		})
	}
}
