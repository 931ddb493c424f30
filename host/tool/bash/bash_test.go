package bash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func registry(t *testing.T, c Config) *tool.Registry {
	t.Helper()
	r := tool.NewRegistry()
	if _, err := r.Register(New(c)); err != nil {
		t.Fatal(err)
	}
	return r
}

func runIn(t *testing.T, ctx context.Context, c Config, cwd, command string) tool.Result {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"command": command, "description": "test"})
	if err != nil {
		t.Fatal(err)
	}
	return registry(t, c).Execute(ctx, "bash", string(raw), tool.Call{Cwd: cwd, Clock: clock.System()})
}

func TestACommandsOutputAndExitAreTheText(t *testing.T) {
	for command, want := range map[string]string{
		`echo hi`:                        "hi\n",
		`printf hi`:                      "hi",
		`true`:                           "[no output]",
		`false`:                          "[exit code: 1]",
		`echo out; echo err >&2; exit 3`: "out\n[stderr]\nerr\n[exit code: 3]",
		`echo err >&2`:                   "[stderr]\nerr\n",
		`printf out; exit 3`:             "out\n[exit code: 3]",
		`kill -USR1 $$`:                  "[killed by signal: SIGUSR1]",
		`cat`:                            "[no output]", // standard input is empty
		`nonsense-command-x 2>/dev/null`: "[exit code: 127]",
		`printf '\xff\n'`:                "\uFFFD\n",
	} {
		if got := runIn(t, t.Context(), Config{}, t.TempDir(), command); got.IsError || got.Text != want {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

func TestTheCardHasWhatThePageShows(t *testing.T) {
	cwd := t.TempDir()
	got := runIn(t, t.Context(), Config{}, cwd, "pwd; exit 2")
	want := fmt.Sprintf(`{"card":"terminal","command":"pwd; exit 2","cwd":%q,"description":"test","exitCode":2}`, cwd)
	if string(got.Meta) != want {
		t.Errorf("%s\nwant %s", got.Meta, want)
	}
	if !strings.HasPrefix(got.Text, cwd+"\n") {
		t.Errorf("it ran in %q", got.Text)
	}
	killed := runIn(t, t.Context(), Config{}, cwd, "kill -KILL $$")
	if !strings.Contains(string(killed.Meta), `"exitCode":null,"signal":"SIGKILL"`) {
		t.Errorf("%s", killed.Meta)
	}
}

func TestTheHostsOwnEnvironmentIsHidden(t *testing.T) {
	t.Setenv("KEYLANE_HOME", "/secret")
	t.Setenv("DEEPSEEK_API_KEY", "sk-secret")
	t.Setenv("HARMLESS", "yes")
	got := runIn(t, t.Context(), Config{}, t.TempDir(), "env")
	if strings.Contains(got.Text, "secret") || strings.Contains(got.Text, "KEYLANE_HOME") || !strings.Contains(got.Text, "HARMLESS=yes") || !strings.Contains(got.Text, "PATH=") {
		t.Errorf("%s", got.Text)
	}
}

func TestAWorkingDirectoryThatIsNoneIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{"", "relative", filepath.Join(t.TempDir(), "gone"), file} {
		got := runIn(t, t.Context(), Config{}, cwd, "true")
		if !got.IsError || got.Error.Code != CodeNotStarted || !strings.Contains(got.Text, "working directory") {
			t.Errorf("%q: %+v", cwd, got)
		}
	}
}

func TestACommandThatCannotBeStartedIsAnError(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if got := runIn(t, t.Context(), Config{}, t.TempDir(), "true"); !got.IsError || got.Error.Code != CodeNotStarted {
		t.Errorf("%+v", got)
	}
}

func TestATimeoutKillsAndIsSaid(t *testing.T) {
	raw := `{"command":"echo before; sleep 100","description":"d","timeoutMs":150}`
	got := registry(t, Config{}).Execute(t.Context(), "bash", raw, tool.Call{Cwd: t.TempDir(), Clock: clock.System()})
	if got.IsError || got.Text != "before\n[killed by signal: SIGTERM]\n[timed out after 150ms]" {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(string(got.Meta), `"timedOut":true`) {
		t.Errorf("%s", got.Meta)
	}
}

func TestATimeoutIsTheHostsTime(t *testing.T) {
	manual := clock.NewManual(time.Unix(0, 0), 1)
	fifo := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = os.ReadFile(fifo)                                   // returns when the command has opened and closed it
		if err := manual.AwaitTimers(t.Context(), 1); err != nil { // the command may be quicker than who waits for it
			t.Error(err)
		}
		manual.Advance(time.Minute)
	}()
	raw := fmt.Sprintf(`{"command":"echo > %s; sleep 100","description":"d"}`, fifo)
	got := registry(t, Config{}).Execute(t.Context(), "bash", raw, tool.Call{Cwd: t.TempDir(), Clock: manual})
	if !strings.Contains(got.Text, "[timed out after 1m0s]") {
		t.Errorf("%+v", got)
	}
}

// pids reads the process ids a command left in a file.
func pids(t *testing.T, path string) []int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, field := range strings.Fields(string(data)) {
		id, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// running reports whether a process exists and is not a zombie.
func running(id int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return string(fields[0]) != "Z" && string(fields[0]) != "X"
}

func TestNothingIsLeftOfACommandThatIgnoresTerm(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "ready")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	// The shell, a child and a grandchild ignore TERM; sleep inherits that.
	command := `trap "" TERM; echo begun; echo $$ >> pids
(trap "" TERM; echo $BASHPID >> pids; (echo $BASHPID >> pids; echo > ready; while :; do sleep 100; done) & wait) & wait`
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(fifo)
		cancel()
	}()
	begun := time.Now()
	got := runIn(t, ctx, Config{KillGrace: 300 * time.Millisecond}, folder, command)
	if took := time.Since(begun); took < 300*time.Millisecond {
		t.Errorf("KILL came after %s, before the grace was over", took)
	}
	if !got.IsError || got.Error.Code != CodeAborted || got.Text != "begun\n[killed by signal: SIGKILL]\n[aborted]" {
		t.Errorf("%+v", got)
	}
	ids := pids(t, filepath.Join(folder, "pids"))
	if len(ids) != 3 {
		t.Fatalf("processes %v", ids)
	}
	for _, id := range ids {
		if running(id) {
			t.Errorf("process %d is left", id)
		}
	}
}

func TestACommandThatTakesTermHasItsGrace(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "ready")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(fifo)
		cancel()
	}()
	got := runIn(t, ctx, Config{KillGrace: time.Minute}, folder, `trap 'echo cleaned; exit 0' TERM; echo > ready; sleep 100 & wait`)
	if got.Text != "cleaned\n[aborted]" {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsLeftInTheBackgroundIsEnded(t *testing.T) {
	folder := t.TempDir()
	got := runIn(t, t.Context(), Config{KillGrace: time.Minute}, folder, `sleep 1000 & echo $! > pids; echo done`)
	if got.IsError || got.Text != "done\n[processes left in the background were ended]" {
		t.Errorf("%+v", got)
	}
	if id := pids(t, filepath.Join(folder, "pids"))[0]; running(id) {
		t.Errorf("process %d is left", id)
	}
}

func TestAStoppedProcessIsEndedToo(t *testing.T) {
	folder := t.TempDir()
	got := runIn(t, t.Context(), Config{KillGrace: time.Minute}, folder, `sleep 1000 & echo $! > pids; kill -STOP $!`)
	if id := pids(t, filepath.Join(folder, "pids"))[0]; running(id) {
		t.Errorf("process %d is left: %+v", id, got)
	}
}

func TestACallThatIsCancelledAlreadyStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	folder := t.TempDir()
	got := runIn(t, ctx, Config{}, folder, "touch started")
	if _, err := os.Stat(filepath.Join(folder, "started")); err == nil || got.Error.Code != CodeAborted {
		t.Errorf("%+v", got)
	}
}

func TestACommandIsShownAndItsScopeIsItself(t *testing.T) {
	r, cwd := registry(t, Config{}), t.TempDir()
	request, asks := r.Ask(t.Context(), "bash", `{"command":"touch made","description":"d"}`, tool.Call{Cwd: cwd})
	if !asks || request.Refusal != nil || request.Scope != "bash: touch made" || !strings.Contains(string(request.View), `"command":"touch made"`) {
		t.Errorf("%v %+v %s", asks, request, request.View)
	}
	if _, err := os.Stat(filepath.Join(cwd, "made")); err == nil {
		t.Error("asking ran it")
	}
}

func TestAnotherFolderIsPartOfWhatIsAllowed(t *testing.T) {
	r, cwd := registry(t, Config{}), t.TempDir()
	request, _ := r.Ask(t.Context(), "bash", `{"command":"ls","description":"d","workdir":"sub"}`, tool.Call{Cwd: cwd})
	if want := "bash in " + filepath.Join(cwd, "sub") + ": ls"; request.Scope != want || !strings.Contains(string(request.View), `"cwd":"`+filepath.Join(cwd, "sub")) {
		t.Errorf("%q %s", request.Scope, request.View)
	}
}

func TestACommandStartsWhereTheCallSays(t *testing.T) {
	cwd, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(cwd, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(workdir string) tool.Result {
		raw := fmt.Sprintf(`{"command":"pwd; echo $PWD","description":"d","workdir":%q}`, workdir)
		return registry(t, Config{}).Execute(t.Context(), "bash", raw, tool.Call{Cwd: cwd})
	}
	for workdir, want := range map[string]string{"sub": filepath.Join(cwd, "sub"), "./sub/..": cwd, elsewhere: elsewhere} {
		got := run(workdir)
		if got.Text != want+"\n"+want+"\n" || !strings.Contains(string(got.Meta), fmt.Sprintf(`"cwd":%q`, want)) {
			t.Errorf("%s: %+v %s", workdir, got, got.Meta)
		}
	}
	if got := run("nowhere"); !got.IsError || got.Error.Code != CodeNotStarted || !strings.Contains(got.Text, "working directory") {
		t.Errorf("%+v", got)
	}
}

func TestATimeoutHasBounds(t *testing.T) {
	for _, timeout := range []string{"0", "-1", "600001", "1.5"} {
		raw := `{"command":"touch started","description":"d","timeoutMs":` + timeout + `}`
		cwd := t.TempDir()
		got := registry(t, Config{}).Execute(t.Context(), "bash", raw, tool.Call{Cwd: cwd})
		if !got.IsError || got.Error.Code != tool.CodeInvalidArguments {
			t.Errorf("%s: %+v", timeout, got)
		}
		if _, err := os.Stat(filepath.Join(cwd, "started")); err == nil {
			t.Errorf("%s: it ran", timeout)
		}
	}
}

func TestACommandCanTellWhoRunsIt(t *testing.T) {
	t.Setenv("KEYLANE_SESSION_ID", "of an outer host")
	raw := `{"command":"echo $KEYLANE_SHELL $KEYLANE_SESSION_ID $KEYLANE_SPILL; env | grep -c ^KEYLANE_","description":"d"}`
	folder := filepath.Join(t.TempDir(), "spill")
	got := registry(t, Config{Spill: spillFolder(t, folder, 0)}).Execute(t.Context(), "bash", raw, tool.Call{Cwd: t.TempDir(), SessionID: "s1"})
	if want := "1 s1 " + filepath.Join(folder, "s1") + "\n4\n"; got.Text != want {
		t.Errorf("%q, want %q", got.Text, want)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder was made without need: %v", err)
	}
}

func TestACallShowsWhatItIsAboutBeforeItHasAResult(t *testing.T) {
	registry := tool.NewRegistry()
	if _, err := registry.Register(New(Config{})); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, want string }{{`{"command":"a && b","description":"Do"}`, `{"card":"terminal","command":"a && b","cwd":"/folder","description":"Do"}`}, {`{"command":""}`, ""}} {
		if got := string(registry.Present("bash", c.arguments, "/folder")); got != c.want {
			t.Errorf("%s looks like %s, want %s", c.arguments, got, c.want)
		}
	}
}
