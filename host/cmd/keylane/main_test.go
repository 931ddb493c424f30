package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// asCommand makes this test program behave as the command itself, with a page of one
// line; it is how the tests get a real process.
const asCommand = "KEYLANE_COMMAND_UNDER_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) == "" {
		os.Exit(m.Run())
	}
	stop, done := signals()
	code := run(os.Args[1:], console{os.Stdin, os.Stdout, os.Stderr, stop, page, nil})
	done()
	os.Exit(code)
}

func page() (fs.FS, error) {
	return fstest.MapFS{
		"index.html":    {Data: []byte("<!doctype html><title>keylane</title>")},
		"manifest.json": {Data: []byte(`{"rev":"r","plugins":[]}`)},
	}, nil
}

// invoke runs the command in this process.
func invoke(t *testing.T, arguments ...string) (code int, out, problems string) {
	t.Helper()
	var o, e bytes.Buffer
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	code = run(arguments, console{strings.NewReader(""), &o, &e, stop, page, nil})
	return code, o.String(), e.String()
}

func TestAWrongCommandLineIsExit2(t *testing.T) {
	for _, arguments := range [][]string{{}, {"wbe"}, {"web", "--port", "x"}, {"web", "--port", "70000"}, {"web", "--nope"}, {"web", "extra"}, {"config"}} {
		code, out, problems := invoke(t, arguments...)
		if code != exitMisused || out != "" || !strings.HasSuffix(problems, " --help\n") {
			t.Errorf("%q: exit %d, out %q, err %q", arguments, code, out, problems)
		}
	}
}

func TestHelpTeaches(t *testing.T) {
	for _, arguments := range [][]string{{"--help"}, {"web", "--help"}} {
		code, out, problems := invoke(t, arguments...)
		if code != exitOK || problems != "" || !strings.Contains(out, "keylane") {
			t.Errorf("%q: exit %d, err %q", arguments, code, problems)
		}
	}
	_, out, _ := invoke(t, "web", "--help")
	for _, want := range []string{"--host", "--port", "--no-open", "--patch", "--home", "3080", "$KEYLANE_HOME"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is missing in\n%s", want, out)
		}
	}
}

func TestADumpShowsWhatWouldBoot(t *testing.T) {
	folder := t.TempDir()
	patch := filepath.Join(folder, "patch.yml")
	write(t, patch, "- id: llm-deepseek\n  config: {apiKey: sk-secret}\n")
	write(t, filepath.Join(folder, "config.yml"), "- id: llm-deepseek\n  config: {baseURL: 'http://127.0.0.1:1'}\n- id: llm-recorded\n  disabled: true\n")
	code, out, problems := invoke(t, "config", "dump", "--home", folder, "--patch", patch)
	if code != exitOK || problems != "" {
		t.Fatalf("exit %d: %s", code, problems)
	}
	for _, want := range []string{"apiKey: (redacted)", "apiKeyEnv: DEEPSEEK_API_KEY", "baseURL: \"\"", "disabled: true", "dir: " + folder, "port: 3080"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "sk-secret") {
		t.Error("the key is shown")
	}
	for name, text := range map[string]string{"unknown id": "- id: nobody\n  disabled: true\n", "unknown key": "- id: agent\n  config: {modle: x}\n"} {
		write(t, patch, text)
		code, out, problems := invoke(t, "config", "dump", "--home", folder, "--patch", patch)
		if code != exitFailed || out != "" || !strings.Contains(problems, patch+":") {
			t.Errorf("%s: exit %d, out %q, err %q", name, code, out, problems)
		}
	}
}

func TestWithoutItsPageTheCommandSaysHowToBuildIt(t *testing.T) {
	var o, e bytes.Buffer
	code := run([]string{"web", "--no-open"}, console{strings.NewReader(""), &o, &e, t.Context(), func() (fs.FS, error) { return nil, errors.New("build it with ./bazelw") }, nil})
	if code != exitFailed || o.Len() > 0 || !strings.Contains(e.String(), "./bazelw") {
		t.Errorf("exit %d, out %q, err %q", code, &o, &e)
	}
}

// process is a running keylane.
type process struct {
	command *exec.Cmd
	url     string
	problem *bytes.Buffer
	ended   chan error
}

func start(t *testing.T, home string, arguments ...string) *process {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{command: exec.Command(binary, append([]string{"web", "--no-open", "--home", home}, arguments...)...), problem: &bytes.Buffer{}, ended: make(chan error, 1)}
	p.command.Env = append(os.Environ(), asCommand+"=1", "HOME="+home)
	p.command.Dir = home
	p.command.Stderr = p.problem
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(out)
	line, err := reader.ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, reader)
		p.ended <- p.command.Wait()
	}()
	t.Cleanup(func() {
		if p.command.ProcessState == nil {
			_ = p.command.Process.Kill()
			<-p.ended
		}
	})
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "keylane: ")
	if err == nil && ok {
		p.url = url
	}
	return p
}

func (p *process) exit(t *testing.T) int {
	t.Helper()
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return p.command.ProcessState.ExitCode()
	case <-t.Context().Done():
		t.Fatal("the process does not end")
		return 0
	}
}

func TestASignalEndsTheHostAlsoWithAnOpenStream(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := start(t, t.TempDir(), "--port", "0")
		response, err := http.Get(p.url + "api/events.mux")
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(response.Body).ReadString('\n')
		if err != nil || line != ": connected\n" {
			t.Fatalf("%q %v", line, err)
		}
		if err := p.command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if code := p.exit(t); code != exitOK || p.problem.Len() > 0 {
			t.Errorf("%v: exit %d: %s", signal, code, p.problem)
		}
		_ = response.Body.Close()
	}
}

func TestATakenPortIsExit1AndNamed(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	p := start(t, t.TempDir(), "--port", port)
	if code := p.exit(t); code != exitFailed || p.url != "" || !strings.Contains(p.problem.String(), "port "+port) || !strings.Contains(p.problem.String(), "--port 0") {
		t.Errorf("exit %d, %q: %s", code, p.url, p.problem)
	}
}

func TestFlagsWinOverPatchesAndKeepTheRest(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "config.yml"), "- id: webserver\n  config: {host: 127.0.0.2, port: 1}\n")
	p := start(t, home, "--port", "0")
	if !strings.HasPrefix(p.url, "http://127.0.0.2:") || strings.HasSuffix(p.url, ":1/") {
		t.Errorf("serves %s: %s", p.url, p.problem)
	}
}

func TestAWrongSettingIsBlamedOnWhoSaidIt(t *testing.T) {
	for name, c := range map[string]struct {
		config    string
		arguments []string
		says      string
	}{
		"a flag":                    {"", []string{"--host", "foo bar"}, `--host: row "webserver": config: host: "foo bar" is neither`},
		"a flag that cannot listen": {"", []string{"--host", "192.0.2.1", "--port", "0"}, `--host, --port: row "webserver": starting: host: webserver: listening`},
		"a file, a flag over it":    {"- id: webserver\n  config: {port: 99999}\n", []string{"--port", "0"}, `config.yml:2:18: row "webserver": config: port: 99999: want 0 to 65535`},
		"a file, a flag beside it":  {"- id: webserver\n  config: {port: 99999}\n", []string{"--host", "127.0.0.1"}, `config.yml:2:18: row "webserver": config: port: 99999`},
		"a file alone":              {"- id: webserver\n  config: {port: 99999}\n", nil, `config.yml:2:18: row "webserver": config: port: 99999`},
		"a file's host":             {"- id: webserver\n  config: {host: 'a b', port: 0}\n", nil, `config.yml:2:18: row "webserver": config: host: "a b" is neither`},
		"a provider's address":      {"- id: llm-deepseek\n  config: {baseURL: 'ftp://x'}\n", []string{"--port", "0"}, `config.yml:2:21: row "llm-deepseek": config: baseURL: "ftp://x": want an http or https URL`},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			write(t, filepath.Join(home, "config.yml"), c.config)
			p := start(t, home, c.arguments...)
			if p.url != "" {
				t.Fatalf("it serves %s", p.url)
			}
			code := p.exit(t)
			if problems := p.problem.String(); code != exitFailed || !strings.Contains(problems, c.says) || strings.Contains(problems, "web.yml") {
				t.Errorf("exit %d: %s\nwant %s", code, problems, c.says)
			}
		})
	}
}

// A config in a file replaces the shipped one whole; what it leaves out is the plugin's default, with a flag beside it as well.
func TestAFlagDoesNotTakeTheDefaultsAway(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "config.yml"), "- id: webserver\n  config: {port: 1}\n")
	p := start(t, home, "--port", "0")
	if !strings.HasPrefix(p.url, "http://127.0.0.1:") {
		t.Errorf("serves %q: %s", p.url, p.problem)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestACheckNamesEveryMistakeWithItsPlace(t *testing.T) {
	home := t.TempDir()
	config, patch := filepath.Join(home, "config.yml"), filepath.Join(home, "patch.yml")
	code, out, problems := invoke(t, "config", "check", "--home", home)
	if code != exitOK || problems != "" || !strings.HasSuffix(out, "rows would start.\n") {
		t.Errorf("the shipped composition: exit %d, %q, %q", code, out, problems)
	}
	write(t, config, "- id: llm-recorded\n  disabled: true\n")
	if code, out, _ := invoke(t, "config", "check", "--home", home); code != exitOK || !strings.Contains(out, `row "llm-recorded" is disabled`) {
		t.Errorf("a disabled row: exit %d, %q", code, out)
	}
	for name, c := range map[string]struct{ config, patch, want string }{
		"rows":     {"- id: webservr\n  disabled: true\n", "- id: clok\n", config + ":1:7: row \"webservr\": no row has this id\n" + patch + ":1:7: row \"clok\": no row has this id\n"},
		"keys":     {"- id: webserver\n  config: {hots: x, port: y}\n", "- id: api\n  config: {x: 1}\n", config + ":2:12: row \"webserver\": config: unknown key \"hots\""},
		"values":   {"- id: webserver\n  config: {host: 127.0.0.1, port: 70000}\n", "", config + ":2:35: row \"webserver\": config: port: 70000: want 0 to 65535\n"},
		"services": {"- id: clock\n  disabled: true\n", "", "required, but it waits for service \"clock\", whose row \"clock\" is disabled (" + config + ")"},
		"no YAML":  {"- {\n", "", config + ":"},
	} {
		write(t, config, c.config)
		write(t, patch, c.patch)
		code, out, problems := invoke(t, "config", "check", "--home", home, "--patch", patch)
		plain := strings.ReplaceAll(problems, "keylane: ", "")
		if code != exitFailed || out != "" || !strings.Contains(withoutKnown(plain), c.want) {
			t.Errorf("%s: exit %d, %q\n%s\nwant\n%s", name, code, out, plain, c.want)
		}
		for line := range strings.Lines(plain) {
			if !strings.Contains(line, ".yml:") {
				t.Errorf("%s: no place in %q", name, line)
			}
		}
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 2 {
		t.Errorf("a check left %v (%v)", entries, err)
	}
}

// withoutKnown leaves out the lists of rows there are, which change with every row.
func withoutKnown(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), "; rows: ")
		out.WriteString(line + "\n")
	}
	return out.String()
}
