// Package rendering_test shows a session with everything that a model and its tools write: markdown of every kind, formulas, a coloured
// terminal, long output, a call of a tool that does not exist, an event that this version does not know. What is shown is harmless, the
// same after a reload, and what is copied is exactly what is meant.
package rendering_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// The prompts, in order.
const (
	tour     = "Write something of every kind."
	colours  = "Run something colourful."
	nonsense = "Use a tool that is not there."
)

var (
	conversation = chromium.Role("main", "Conversation")
	terminalRow  = chromium.Role("button", "Bash: Print colours and numbers")
	unknownRow   = chromium.Role("button", "Fetch page: https://example.test/")
)

const code = "func main() {\n\n\tprintln(\"<hello> & goodbye\")\n}"

// printed is what a terminal would show of the command's output.
const printed = "100%\nok build\nfail lint\nwarning blue\nlink\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n"

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "rendering",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			for _, prompt := range []string{tour, colours, nonsense} {
				s.Send(prompt)
				s.Settle()
			}
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "completed")
			s.WantPrompts(tour, colours, nonsense)
			wantFormulas(s)
			wantHarmless(s)
			s.Golden("settled", conversation)
			s.Click(terminalRow)
			s.Golden("terminal", conversation)
			wantColours(s)
			s.Click(chromium.Role("button", "… 13 more lines, show all"))
			s.Golden("terminal-all", conversation)
			copied(s, "Copy output", printed)
			s.Click(terminalRow)
			copied(s, "Copy code", code)

			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			s.Click(unknownRow)
			s.Golden("unknown-tool", conversation)
			s.WantDurable()
		},
	}
}

// wantFormulas checks that what is a formula became one and that what is money did not.
func wantFormulas(s *scaffold.Stage) {
	s.Helper()
	if n := evaluate[int](s, `document.querySelectorAll("math").length`); n != 2 {
		s.Errorf("the page has %d formulas, want 2", n)
	}
	if text := s.Text("main"); !strings.Contains(text, "It costs $5 or $10.") {
		s.Errorf("the money is gone from\n%s", text)
	}
}

// wantHarmless checks that what a model writes as HTML is text.
func wantHarmless(s *scaffold.Stage) {
	s.Helper()
	if n := evaluate[int](s, `document.querySelectorAll("main script, main b, main img, main [onclick], main a:not([href^='https://'])").length`); n != 0 {
		s.Errorf("the page obeys %d elements that the model wrote", n)
	}
	if text := s.Text("main"); !strings.Contains(text, `<script>alert("never")</script>`) {
		s.Errorf("what the model wrote as HTML is not shown as text in\n%s", text)
	}
}

// wantColours checks that the words of the output have the page's colours for what the command asked.
func wantColours(s *scaffold.Stage) {
	s.Helper()
	for _, want := range []struct{ word, property, token string }{
		{"ok", "color", "--terminal-green"}, {"fail", "color", "--terminal-red"}, {"blue", "color", "--terminal-blue"}, {"warning", "color", "--text-1"},
	} {
		same := evaluate[bool](s, fmt.Sprintf(`(() => {
			const span = [...document.querySelectorAll(".card-output span")].find((each) => each.textContent === %q);
			const probe = document.body.appendChild(document.createElement("i"));
			probe.style.color = "var(%s)";
			const wanted = getComputedStyle(probe).color;
			probe.remove();
			return span !== undefined && getComputedStyle(span).%s === wanted;
		})()`, want.word, want.token, want.property))
		if !same {
			s.Errorf("the word %q does not have the colour %s", want.word, want.token)
		}
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

// copied presses a copy button and checks what came onto the clipboard.
func copied(s *scaffold.Stage, button, content string) {
	s.Helper()
	s.Click(chromium.Role("button", button))
	s.WaitFor(chromium.Role("button", "Copied"))
	got, err := s.Page.ReadClipboard(s.Context)
	if err != nil {
		s.Fatalf("%v", err)
	}
	if got != content {
		s.Errorf("%s copied %q, want %q", button, got, content)
	}
}

func TestEverythingThatIsWrittenIsShownAsItIsMeant(t *testing.T) {
	scaffold.Run(t, scenario())
}

// An event of another version is named, and opens to what it holds.
func TestAnEventOfAnUnknownTypeIsNamed(t *testing.T) {
	scaffold.OnlyReplay(t)
	const id = "session-foreign"
	log := strings.Join([]string{
		`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`,
		`{"type":"turn/start","data":{"turn":1}}`,
		`{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Go."}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}`,
		`{"type":"plan/mode","data":{"active":true,"steps":["one","two"]}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`,
	}, "\n") + "\n"
	scaffold.Run(t, scaffold.Scenario{
		Name:  "rendering",
		Seeds: []scaffold.Seed{{SessionID: id, Log: []byte(log)}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + id)
			s.Click(chromium.Role("button", "Event: plan/mode"))
			s.WaitFor(chromium.Role("group", "Data"))
			if text, want := s.Text(".disclosure-content"), "\"active\": true"; !strings.Contains(text, want) {
				s.Errorf("the row opens to %q, which lacks %q", text, want)
			}
		},
	})
}

// Each check sees the fault it is there for.
func TestWhatIsShownOtherwiseWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for name, c := range map[string]struct {
		old, new string
		prompts  []string
		check    func(*scaffold.Stage)
		words    string
	}{
		"a formula that stays TeX":  {`\\pi r^2`, `\\nonsense{`, []string{tour}, wantFormulas, "formulas, want 2"},
		"money taken for a formula": {`$5 or $10`, `$5 or 6$. `, []string{tour}, wantFormulas, "money is gone"},
		"another colour":            {`033[1;32m`, `033[1;35m`, []string{tour, colours}, func(s *scaffold.Stage) { s.Click(terminalRow); wantColours(s) }, "--terminal-green"},
		"another output":            {`seq 1 16`, `seq 2 16`, []string{tour, colours}, func(s *scaffold.Stage) { s.Click(terminalRow); copied(s, "Copy output", printed) }, "Copy output copied"},
	} {
		t.Run(name, func(t *testing.T) {
			mutant := scenario()
			mutant.Mutate = func(log []byte) []byte { return bytes.ReplaceAll(log, []byte(c.old), []byte(c.new)) }
			mutant.Drive = func(s *scaffold.Stage) {
				s.Open("/")
				for _, prompt := range c.prompts {
					s.Send(prompt)
					s.Settle()
				}
			}
			mutant.Check = c.check
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
			if !strings.Contains(failures, c.words) {
				t.Errorf("no failure says %q:\n%s", c.words, failures)
			}
		})
	}
}
