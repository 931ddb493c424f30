package work_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/record/script"
)

// machine is what a person has: a repository, a home with settings, a host, and a provider somewhere else.
type machine struct {
	t          *testing.T
	home, repo string
	port       int
	model      *model
	provider   *script.Server
	command    *exec.Cmd
	ended      chan error
	world      map[string]string // what differs from the clone: a file's text by its path
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	from := os.Getenv("KEYLANE_WORK_REPOSITORY")
	if from == "" {
		t.Fatal("KEYLANE_WORK_REPOSITORY names the repository to work in, a checkout of keylane; it is cloned")
	}
	root, err := os.MkdirTemp("", "keylane-work-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Errorf("%v", err)
		}
	})
	m := &machine{t: t, home: filepath.Join(root, "home"), repo: filepath.Join(root, "repo"), model: newModel(), world: map[string]string{}}
	run(t, root, "git", "clone", "--quiet", from, m.repo)
	if m.provider, err = script.Serve(t.Context(), "the model", m.model.answer, clock.System()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.provider.Close(); err != nil {
			t.Errorf("%v", err)
		}
	})
	m.write("config.yml", fmt.Sprintf("- id: llm-deepseek\n  config: {baseURL: %q, apiKey: %s}\n", m.provider.URL(), scaffold.ProviderKey))
	m.write("skills/tidy/SKILL.md", "---\nname: tidy\ndescription: How code is tidied here.\n---\nRun gofmt, then vet. Change nothing else.\n")
	return m
}

// write writes a file of the home folder.
func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		m.t.Fatal(err)
	}
}

func run(t *testing.T, folder, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, arguments, err, out)
	}
	return string(out)
}

// boot starts the built command, at the address it had before.
func (m *machine) boot(environment ...string) {
	m.t.Helper()
	binary := os.Getenv("KEYLANE_BINARY")
	if binary == "" {
		m.t.Fatal("KEYLANE_BINARY is not set: run ./bazelw test //e2e/work, which sets it")
	}
	if !filepath.IsAbs(binary) {
		binary = filepath.Join(os.Getenv("TEST_SRCDIR"), binary)
	}
	m.command = exec.Command(binary, "web", "--port", strconv.Itoa(m.port), "--no-open", "--home", m.home)
	m.command.Dir, m.command.Stderr, m.command.Env = m.repo, os.Stderr, append(os.Environ(), environment...)
	output, err := m.command.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.command.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.ended = make(chan error, 1)
	m.t.Cleanup(m.kill)
	line, err := bufio.NewReader(output).ReadString('\n')
	address, err2 := url.Parse(strings.TrimSpace(strings.TrimPrefix(line, "keylane: ")))
	if err := errors.Join(err, err2); err != nil {
		m.t.Fatalf("the host printed %q: %v", line, err)
	}
	if m.port, err = strconv.Atoi(address.Port()); err != nil {
		m.t.Fatalf("the host printed %q: %v", line, err)
	}
}

// kill ends the host as a crash would; one that has ended is left alone.
func (m *machine) kill() {
	if m.command.ProcessState == nil {
		_ = m.command.Process.Kill() // one that has just ended is waited for as well
		_ = m.command.Wait()         // killed: that is what it says
	}
}

// stop ends the host as a person does, and checks that it went well.
func (m *machine) stop() {
	m.t.Helper()
	if err := m.command.Process.Signal(syscall.SIGTERM); err != nil {
		m.t.Fatal(err)
	}
	if err := m.command.Wait(); err != nil {
		m.t.Errorf("the host ended: %v", err)
	}
}

func (m *machine) address() string { return fmt.Sprintf("http://127.0.0.1:%d", m.port) }

// sessions are the logs on disk, by session.
func (m *machine) sessions() map[string][]session.Event {
	m.t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: filepath.Join(m.home, "sessions")}, clock.System())
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() {
		if err := store.Close(m.t.Context()); err != nil {
			m.t.Errorf("%v", err)
		}
	}()
	entries, err := store.List(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	all := map[string][]session.Event{}
	for _, entry := range entries {
		_, events, err := store.Inspect(m.t.Context(), entry.Header.ID)
		if err != nil {
			m.t.Errorf("session %s: %v", entry.Header.ID, err)
		}
		all[entry.Header.ID] = events
	}
	return all
}

// totals counts what the logs hold.
func (m *machine) totals() figures {
	m.t.Helper()
	f := figures{ByTool: map[string]int{}, Events: map[string]int{}}
	for _, events := range m.sessions() {
		for _, event := range events {
			f.Events[event.Type]++
			switch event.Type {
			case session.TypeTurnStart:
				f.Turns++
			case session.TypeToolCall:
				var call session.ToolCall
				if err := json.Unmarshal(event.Data, &call); err != nil {
					m.t.Errorf("%v", err)
				}
				f.ToolCalls++
				f.ByTool[call.Name]++
			}
		}
	}
	return f
}

// wantLogs checks that every log is whole: sequence numbers without gaps, turns that end before the next begins, and one result for each call.
func (m *machine) wantLogs(when string) {
	m.t.Helper()
	for id, events := range m.sessions() {
		open, results := 0, map[string]int{}
		var calls []string
		for i, event := range events {
			if event.Seq != int64(i) {
				m.t.Errorf("%s: %s: event %d has the number %d", when, id, i, event.Seq)
				break
			}
			switch event.Type {
			case session.TypeTurnStart:
				open++
			case session.TypeTurnEnd:
				open--
			case session.TypeAssistantMessage, session.TypeToolResult:
				message, _, err := session.MessageOf(event)
				if err != nil {
					m.t.Errorf("%s: %s: event %d: %v", when, id, i, err)
				}
				for _, block := range message.Content {
					switch block.Type {
					case session.BlockToolCall:
						calls = append(calls, block.ID)
					case session.BlockToolResult:
						results[block.ToolCallID]++
					}
				}
			}
			if open < 0 || open > 1 {
				m.t.Errorf("%s: %s: after event %d %d turns are open", when, id, i, open)
			}
		}
		if open != 0 {
			m.t.Errorf("%s: %s: %d turns are open at the end", when, id, open)
		}
		for _, call := range calls {
			if results[call] != 1 {
				m.t.Errorf("%s: %s: call %s has %d results", when, id, call, results[call])
			}
		}
	}
}

// wantWorld checks that the repository differs from what was cloned by what was asked for and nothing else.
func (m *machine) wantWorld(when string) {
	m.t.Helper()
	var got, want []string
	for _, line := range strings.Split(run(m.t, m.repo, "git", "status", "--porcelain", "--untracked-files=all"), "\n") {
		if line != "" {
			got = append(got, line[3:])
		}
	}
	for path, text := range m.world {
		want = append(want, path)
		is, err := os.ReadFile(filepath.Join(m.repo, path))
		if err != nil || string(is) != text {
			m.t.Errorf("%s: %s is not as it was asked for (%v, %d bytes, want %d)", when, path, err, len(is), len(text))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		m.t.Errorf("%s: git sees changes of %q, asked for were %q", when, got, want)
	}
}

// original is a file as it was cloned, or as it was left by what was asked for since.
func (m *machine) original(path string) string {
	m.t.Helper()
	if text, changed := m.world[path]; changed {
		return text
	}
	text, err := os.ReadFile(filepath.Join(m.repo, path))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}
