// Package binary_test runs the built command as a process of its own, as a person or a supervisor does: with arguments, an environment and a
// file of patches. It prints its address, serves its page, answers a turn, ends on TERM with exit code 0, and nothing of it is left; and
// what keeps it from starting it says, with the next step and an exit code that scripts can tell apart.
package binary_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

const (
	prompt = "Is the built command there?"
	answer = "The built command is here."
)

// address is the one line that a host prints.
var address = regexp.MustCompile(`^keylane: (http://127\.0\.0\.1:\d+)/\n$`)

// serves starts the command, has a person ask something in the page, and ends it.
func serves(t scaffold.T, command []string) {
	t.Helper()
	home := t.(interface{ TempDir() string }).TempDir()
	provider, err := script.Start(t.Context(), "provider of binary", []byte(fmt.Sprintf("replies:\n  - {expect: Is the built command, text: %q}\n", answer)), clock.System())
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer func() {
		if err := provider.Close(); err != nil {
			t.Errorf("%v", err)
		}
	}()
	// The file says where the provider is, the environment which key it gets and where the home is, the arguments which port.
	write(t, filepath.Join(home, "config.yml"), fmt.Sprintf(`- id: llm-deepseek
  config: {baseURL: %q, apiKeyEnv: DEEPSEEK_API_KEY}
- {id: runtime-context, disabled: true}
- {id: skill-filesystem, disabled: true}
- {id: agent-instructions, disabled: true}
- {id: session-title-model, disabled: true}
`, provider.URL()))
	p := spawn(t, command, home, "web", "--port", "0", "--no-open")
	line := p.firstLine()
	found := address.FindStringSubmatch(line)
	if found == nil {
		p.terminate()
		t.Fatalf("the command printed %q; standard error: %s", line, p.end())
	}
	page := open(t, found[1]+"/")
	ask(t, page, prompt)
	if err := settled(t, page, answer); err != nil {
		t.Errorf("no answer on the page: %v", err)
	}
	id, _ := page.RootAttribute("data-session")

	p.terminate()
	said := p.end()
	if code := p.command.ProcessState.ExitCode(); code != 0 {
		t.Errorf("after TERM it ended with exit code %d", code)
	}
	if rest := p.rest(); rest != "" || said != "" {
		t.Errorf("it said more than its address: %q, %q", rest, said)
	}
	if _, err := http.Get(found[1]); err == nil {
		t.Errorf("something answers at %s still", found[1])
	}
	for _, each := range survivors(t, p.group()) {
		t.Errorf("a process is left: %s", each)
	}
	wantLeft(t, home)
	wantTurn(t, home, id)
}

// wantLeft checks that what the home holds is what a host keeps on purpose.
func wantLeft(t scaffold.T, home string) {
	t.Helper()
	kept := []string{"config.yml", "sessions", "workspaces.json", "workspaces.json.lock"} // a lock is a file that stays, held or not
	entries, err := os.ReadDir(home)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, entry := range entries {
		if !slices.Contains(kept, entry.Name()) {
			t.Errorf("the home has %q left in it", entry.Name())
		}
	}
}

// wantTurn checks that the turn is on disk, to its end, and nobody holds the session.
func wantTurn(t scaffold.T, home, id string) {
	t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(home, "sessions")}, clock.System())
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer func() {
		if err := store.Close(t.Context()); err != nil {
			t.Errorf("%v", err)
		}
	}()
	_, events, err := store.Inspect(t.Context(), id)
	if err != nil {
		t.Errorf("reading the session from disk: %v", err)
		return
	}
	if last := events[len(events)-1]; last.Type != session.TypeTurnEnd || !strings.Contains(string(last.Data), `"completed"`) {
		t.Errorf("the log ends with %s %s", last.Type, last.Data)
	}
}

func TestTheBuiltCommandServesAnswersAndEnds(t *testing.T) { serves(t, built(t)) }

// refusals starts the command in every way in which it cannot start, and checks what it says.
func refusals(t scaffold.T, command []string) {
	t.Helper()
	folder := t.(interface{ TempDir() string }).TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer func() { _ = taken.Close() }() // nobody has connected
	port := fmt.Sprint(taken.Addr().(*net.TCPAddr).Port)
	file := filepath.Join(folder, "file")
	write(t, file, "")
	for _, each := range []struct {
		name, config string
		arguments    []string
		code         int
		says, next   string
	}{
		{"a flag that is none", "", []string{"web", "--prot", "0"}, 2, "unknown flag --prot", "keylane web --help"},
		{"a port that is none", "", []string{"web", "--port", "70000"}, 2, "--port 70000: want 0 to 65535", "keylane web --help"},
		{"a command that is none", "", []string{"serve"}, 2, "unexpected argument serve", "keylane --help"},
		{"a port that is taken", "", []string{"web", "--no-open", "--port", port}, 1, "port " + port, "--port 0"},
		{"a config that is no YAML", "- {\n", []string{"web", "--no-open", "--port", "0"}, 1, "config.yml:", "config check"},
		{"a config about a row there is not", "- id: webservr\n  disabled: true\n", []string{"web", "--no-open", "--port", "0"}, 1, `config.yml:1:7: row "webservr": no row has this id`, "config check"},
		{"a key that a row has not", "- id: webserver\n  config: {hots: x}\n", []string{"web", "--no-open"}, 1, `config.yml:2:12: row "webserver": config: unknown key "hots"`, "config check"},
		{"a home below a file", "", []string{"web", "--no-open", "--port", "0", "--home", filepath.Join(file, "home")}, 1, "not a directory", "--home DIR"},
		{"a home that is a file", "", []string{"web", "--no-open", "--port", "0", "--home", file}, 1, "not a directory", "--home DIR"},
		{"a patch that is not there", "", []string{"web", "--no-open", "--patch", "none.yml"}, 1, "none.yml: no such file", "--patch"},
	} {
		home := filepath.Join(folder, strings.ReplaceAll(each.name, " ", "-"))
		if err := os.Mkdir(home, 0o700); err != nil {
			t.Fatalf("%v", err)
		}
		if each.config != "" {
			write(t, filepath.Join(home, "config.yml"), each.config)
		}
		p := spawn(t, command, home, each.arguments...)
		printed := p.firstLine()
		said := p.end()
		_, next, _ := strings.Cut(said, "\nNext: ")
		if code := p.command.ProcessState.ExitCode(); code != each.code || printed != "" || !strings.Contains(said, each.says) || !strings.Contains(next, each.next) {
			t.Errorf("%s: exit code %d, printed %q, said %s", each.name, code, printed, said)
		}
	}
}

func TestWhatKeepsItFromStartingItSaysWithTheNextStep(t *testing.T) { refusals(t, built(t)) }

// explains asks the command about itself.
func explains(t scaffold.T, command []string) {
	t.Helper()
	home := t.(interface{ TempDir() string }).TempDir()
	for arguments, want := range map[string]string{
		"version":         "(?s)^keylane \\S+\npage [0-9a-f]{12}\nbuilt with go\\S+ for \\w+/\\w+\n$",
		"--help":          `(?s)^Usage: keylane <command>.*Exit codes: .*web .*sessions list .*config check .*completion .*version `,
		"web --help":      `(?s)--port.*`,
		"completion bash": `(?s)complete -F _keylane keylane\n$`,
		"complete -- co":  `(?m)^config\t`,
		"config check":    `^\d+ rows would start\.\n$`,
	} {
		p := spawn(t, command, home, strings.Fields(arguments)...)
		printed := p.firstLine()
		said := p.end()
		printed += p.rest()
		if code := p.command.ProcessState.ExitCode(); code != 0 || said != "" || !regexp.MustCompile(want).MatchString(printed) {
			t.Errorf("keylane %s: exit code %d, printed %q, said %q", arguments, code, printed, said)
		}
	}
}

func TestItExplainsItself(t *testing.T) { explains(t, built(t)) }

// ask types a prompt into the page and sends it.
func ask(t scaffold.T, page *chromium.Page, prompt string) {
	t.Helper()
	for _, err := range []error{
		page.Click(t.Context(), chromium.Role("textbox", "Message the agent")),
		page.Type(t.Context(), prompt),
		page.Click(t.Context(), chromium.Role("button", "Send message")),
	} {
		if err != nil {
			t.Fatalf("asking: %v", err)
		}
	}
}
