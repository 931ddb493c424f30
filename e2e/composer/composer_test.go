// Package composer_test writes messages the ways people do: with an input method, with commands, with files that are mentioned, out of what
// was sent before, and into a draft that waits while other things happen.
package composer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// What is sent, in order.
const (
	hello   = "你好"
	path    = "/etc/hosts says localhost."
	slip    = "/compcat now"
	mention = `Read @plan.md and @"we ird \"name\"\n.txt" please`
	gate    = "Wait at the gate."
)

// The regions that the goldens hold, and what the person uses.
var (
	conversation = chromium.Role("main", "Conversation")
	field        = chromium.Role("textbox", "Message the agent")
	commands     = chromium.Role("listbox", "Commands")
	files        = chromium.Role("listbox", "Files")
	shortcuts    = chromium.Role("dialog", "Keyboard shortcuts")
)

// plant puts files with plain and strange names into the workspace, and the gate at which a command waits for a line.
func plant(folders scaffold.Folders) error {
	for _, name := range []string{"plan.md", "docs/planning.md", "node_modules/plan.js", "we ird \"name\"\n.txt", "文档.md", "dist/plan.out", ".gitignore"} {
		full := filepath.Join(folders.Workspace, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return fmt.Errorf("planting %q: %w", name, err)
		}
		if err := os.WriteFile(full, []byte("dist/\n"), 0o644); err != nil {
			return fmt.Errorf("planting %q: %w", name, err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(folders.Workspace, "plan-outside")); err != nil {
		return fmt.Errorf("planting the link: %w", err)
	}
	if err := syscall.Mkfifo(filepath.Join(folders.Workspace, "gate"), 0o600); err != nil {
		return fmt.Errorf("making the gate: %w", err)
	}
	return nil
}

// do performs gestures and ends the scenario with the first that fails.
func do(s *scaffold.Stage, gestures ...error) {
	s.Helper()
	for _, err := range gestures {
		if err != nil {
			s.Fatalf("%v", err)
		}
	}
}

func write(s *scaffold.Stage, text string) {
	s.Helper()
	do(s, s.Page.Type(s.Context, text))
}

// empty takes everything out of the field.
func empty(s *scaffold.Stage) {
	s.Helper()
	do(s, s.Page.Fill(s.Context, field, ""))
}

// read evaluates in the page, for what is in a field or where the focus is: neither is in the tree as a person meets it.
func read[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	if err != nil {
		s.Fatalf("%v", err)
	}
	return value
}

func draft(s *scaffold.Stage) string {
	s.Helper()
	return read[string](s, `document.querySelector(".composer textarea").value`)
}

func wantDraft(s *scaffold.Stage, when, want string) {
	s.Helper()
	if got := draft(s); got != want {
		s.Errorf("%s the draft is %q, want %q", when, got, want)
	}
}

func wantFocus(s *scaffold.Stage, when, want string) {
	s.Helper()
	if got := read[string](s, `document.activeElement.getAttribute("aria-label") ?? document.activeElement.localName`); got != want {
		s.Errorf("%s the focus is on %q, want %q", when, got, want)
	}
}

// gone waits until a list has closed.
func gone(s *scaffold.Stage, query chromium.Query) {
	s.Helper()
	do(s, s.Page.WaitGone(s.Context, query))
}

func scenario() scaffold.Scenario {
	s := scaffold.Scenario{
		Name:    "composer",
		Fixture: true,
		Prepare: plant,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			compose(s)
			useCommands(s)
			sendWhatLooksLikeACommand(s)
			mentionFiles(s)
			recallMessages(s)
			keepDrafts(s)
			growUpToACap(s)
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("completed", "completed", "completed", "completed", "completed")
			s.WantPrompts(hello, path, slip, mention, gate)
			s.Golden("settled", conversation)
			s.WantDurable()
		},
	}
	s.StandStill() // commands wait at the gate for the person
	return s
}

// compose writes the first message with an input method: none of its Enters sends anything.
func compose(s *scaffold.Stage) {
	s.Click(field)
	do(s, s.Page.Compose(s.Context, "nihao"), s.Page.PressComposing(s.Context, "Enter"))
	wantDraft(s, "after an Enter inside the composition", "nihao")
	do(s, s.Page.Commit(s.Context, hello), s.Page.PressComposing(s.Context, "Enter")) // Safari's, which comes after the composition
	wantDraft(s, "after the Enter that ended the composition", hello)
	if at := strings.TrimPrefix(s.Page.URL(), s.URL); at != "/" {
		s.Fatalf("something was sent: the page is at %s", at)
	}
	s.SendBy(func() { s.Press("Enter") })
	s.Settle()
}

func useCommands(s *scaffold.Stage) {
	s.Click(field)
	write(s, "/")
	s.WaitFor(commands)
	s.Golden("commands", commands)
	s.Press("Escape")
	gone(s, commands)
	wantDraft(s, "after Escape", "/")
	write(s, "h")
	wantDraft(s, "after Escape and a letter", "/h")
	empty(s)

	write(s, "/")
	s.WaitFor(commands)
	s.Press("ArrowUp") // round, to the last one
	s.Press("Enter")
	s.WaitFor(shortcuts)
	s.Golden("shortcuts", shortcuts)
	s.Press("Escape")
	gone(s, shortcuts)
	wantFocus(s, "after the dialog", "Message the agent")
	wantDraft(s, "after /help", "")

	write(s, "/mo")
	s.Press("Enter")
	wantFocus(s, "after /model", "Model")
	s.Press("Escape")
	s.Click(field)
	write(s, "/ti")
	s.WaitFor(commands)
	s.Press("Tab")
	wantDraft(s, "after Tab", "/title ")
	gone(s, commands)
	s.Press("Enter")
	s.WaitFor(chromium.CSS(".composer-notice"))
	s.Golden("title-without-name", chromium.CSS(".composer-notice"))
	wantDraft(s, "after a title without a name", "/title ")
	empty(s)

	s.Click(chromium.Role("button", "Commands"))
	s.WaitFor(commands)
	wantFocus(s, "with the list opened by its button", "Message the agent")
	s.Click(chromium.RoleContaining("option", "/title"))
	gone(s, commands)
	wantDraft(s, "after a click on a command", "/title ")
	empty(s)
	write(s, "/")
	s.WaitFor(commands)
	s.Click(chromium.Role("log", "Messages"))
	gone(s, commands)
	empty(s)
}

func sendWhatLooksLikeACommand(s *scaffold.Stage) {
	s.Click(field)
	s.SendBy(func() { write(s, path); s.Press("Enter") })
	s.Settle()
	write(s, slip)
	s.Press("Enter")
	s.WaitFor(chromium.CSS(".composer-notice"))
	s.Golden("no-such-command", chromium.CSS(".composer-notice"))
	wantDraft(s, "after a slip", slip)
	s.SendBy(func() { s.Press("Enter") })
	s.Settle()
}

// mentionFiles picks two files by the keyboard; an answer that comes late shows nothing.
func mentionFiles(s *scaffold.Stage) {
	s.Click(field)
	for _, text := range []string{"me@plan", "src/@plan", "/etc/ho", "1 /help"} {
		write(s, text)
		do(s, s.Page.Frames(s.Context, 2))
		if lists, err := s.Page.FindAll(s.Context, chromium.AnyName("listbox")); err != nil || len(lists) > 0 {
			s.Errorf("%q opens a list: %v %v", text, lists, err)
		}
		empty(s)
	}
	write(s, "Read @")
	s.WaitFor(files)
	s.Golden("files", files)
	write(s, "plan")
	s.WaitFor(chromium.Role("option", "docs/planning.md").Within(files))
	do(s, s.Page.WaitGone(s.Context, chromium.Role("option", "gate").Within(files)))
	s.Golden("files-plan", files)
	s.Press("Enter")
	wantDraft(s, "after picking", "Read @plan.md ")
	write(s, "and @weird")
	s.WaitFor(chromium.RoleContaining("option", "we ird").Within(files))
	s.Press("Tab")
	write(s, "please")
	wantDraft(s, "after the strange name", mention)
	gone(s, files)
	sendUnheard(s)
	s.Click(field)

	// The answer to the first question is held until the second one is there.
	read[any](s, `(() => { const ask = fetch; globalThis.fetch = async (...all) => {
		const answer = await ask(all[0], { ...all[1], signal: undefined });
		if (String(all[1]?.body).includes('"query":"p"')) await new Promise(done => globalThis.release = done);
		return answer } })()`)
	write(s, "@p")
	read[any](s, `(async () => { while (!globalThis.release) await new Promise(requestAnimationFrame) })()`)
	write(s, "lanning")
	s.WaitFor(chromium.Role("option", "docs/planning.md").Within(files))
	read[any](s, `(async () => { release(); for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame) })()`)
	s.Golden("files-late", files)
	s.Press("Escape")
	gone(s, files)
	wantDraft(s, "after Escape", "@planning")
	empty(s)
}

func recallMessages(s *scaffold.Stage) {
	s.Click(field)
	s.Press("ArrowUp")
	wantDraft(s, "after ArrowUp", mention)
	s.Press("ArrowUp")
	wantDraft(s, "after two", slip)
	s.Press("ArrowDown")
	wantDraft(s, "after ArrowDown", mention)
	s.Press("ArrowDown")
	wantDraft(s, "back at the draft", "")
	s.Press("ArrowDown")
	wantDraft(s, "below the draft", "")
	for range 9 {
		s.Press("ArrowUp")
	}
	wantDraft(s, "at the oldest", hello)
	write(s, "!")
	s.Press("ArrowUp")
	wantDraft(s, "after editing", hello+"!")
	empty(s)
	do(s, s.Page.Compose(s.Context, "x"), s.Page.PressComposing(s.Context, "ArrowUp"))
	wantDraft(s, "after ArrowUp inside a composition", "x")
	do(s, s.Page.Commit(s.Context, "x"))
	empty(s)
}

// keepDrafts leaves a draft while a turn ends and while another page is looked at, and gets one back that could not be sent.
func keepDrafts(s *scaffold.Stage) {
	gateway, err := os.OpenFile(filepath.Join(s.Folders.Workspace, "gate"), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		s.Fatalf("opening the pipe: %v", err)
	}
	defer gateway.Close()
	s.Send(gate)
	s.AwaitEvent("the command at the gate", isToolCall)
	write(s, "half a")
	if _, err := gateway.WriteString("open\n"); err != nil {
		s.Fatalf("opening the gate: %v", err)
	}
	s.Settle()
	wantDraft(s, "after the turn", "half a")
	wantFocus(s, "after the turn", "Message the agent")
	write(s, " thought")
	s.Click(chromium.Role("button", "New session"))
	s.WaitFor(chromium.Role("textbox", "Message the agent"))
	wantDraft(s, "on the start page", "")
	read[any](s, `(async () => { history.back(); while (location.pathname === "/") await new Promise(requestAnimationFrame) })()`)
	s.Settle()
	wantDraft(s, "back in the session", "half a thought")
	outliveReloads(s)

	read[any](s, `(() => { const ask = fetch; globalThis.fetch = (...all) => {
		if (!String(all[0]).includes("session.prompt")) return ask(...all);
		globalThis.fetch = ask; return Promise.reject(new TypeError("the wire is cut")) } })()`)
	s.Click(field)
	s.Press("Enter")
	s.WaitFor(chromium.AnyName("alert"))
	s.Settle()
	wantDraft(s, "after a send that failed", "half a thought")
	s.Golden("not-sent", chromium.AnyName("alert"))
	s.Click(chromium.Role("button", "Dismiss"))
	empty(s)
}

// outliveReloads loads the page again with a draft that was left alone, one whose sending was cut short, and one that was sent although
// the page never heard of it.
func outliveReloads(s *scaffold.Stage) {
	s.Helper()
	s.Reload()
	s.Settle()
	wantDraft(s, "after a reload", "half a thought")
	read[any](s, `(() => { const ask = fetch; globalThis.fetch = (...all) => String(all[0]).includes("session.prompt") ? new Promise(() => {}) : ask(...all) })()`)
	s.Click(field)
	s.Press("Enter")
	do(s, s.Page.Frames(s.Context, 2))
	wantDraft(s, "while it is on its way", "")
	s.Reload()
	s.Settle()
	wantDraft(s, "after a reload while it was on its way", "half a thought")
}

// sendUnheard sends the draft, and loads the page again before it hears that the host has it.
func sendUnheard(s *scaffold.Stage) {
	s.Helper()
	read[any](s, `(() => { const ask = fetch; globalThis.fetch = (...all) => {
		const answer = ask(...all); return String(all[0]).includes("session.prompt") ? new Promise(() => {}) : answer } })()`)
	s.SendBy(func() { s.Press("Enter") })
	s.Reload()
	s.Settle()
	wantDraft(s, "after a reload before the answer", "")
}

// growUpToACap measures the field with more and more lines.
func growUpToACap(s *scaffold.Stage) {
	height := func(lines int) float64 {
		empty(s)
		do(s, s.Page.Frames(s.Context, 2), s.Page.Fill(s.Context, field, strings.Repeat("line\n", lines-1)+"line"))
		return read[float64](s, `document.querySelector(".composer textarea").getBoundingClientRect().height`)
	}
	one, three, hundred, thousand := height(1), height(3), height(100), height(1000)
	if one >= three || three >= hundred || hundred != thousand {
		s.Errorf("with 1, 3, 100 and 1000 lines the field is %v, %v, %v and %v high", one, three, hundred, thousand)
	}
	if most := 0.4*read[float64](s, "innerHeight") + 1; thousand > most {
		s.Errorf("the field is %v high, and may be %v", thousand, most)
	}
	empty(s)
}

func TestWhatAPersonWritesIsWhatIsSent(t *testing.T) {
	scaffold.Run(t, scenario())
}
