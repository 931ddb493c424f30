package bash

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"keylane/host/clock"
	"keylane/host/spill"
	"keylane/host/tool"
)

func spillFolder(t *testing.T, dir string, maxBytes int64) *spill.Folder {
	t.Helper()
	folder, err := spill.New(spill.Config{Dir: dir, MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func printing(t *testing.T, c Config, command string) (tool.Result, []cut) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"command": command, "description": "test"})
	if err != nil {
		t.Fatal(err)
	}
	got := registry(t, c).Execute(t.Context(), "bash", string(raw), tool.Call{SessionID: "s", CallID: "c", Cwd: t.TempDir(), Clock: clock.System()})
	var card meta
	if err := json.Unmarshal(got.Meta, &card); err != nil {
		t.Fatal(err)
	}
	return got, card.Cuts
}

func TestLongOutputIsKeptWholeAndNamed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "spill")
	got, cuts := printing(t, Config{OutputCapBytes: 100, Spill: spillFolder(t, folder, 0)},
		`for i in {1..5000}; do echo line-$i; done; echo short >&2; for i in {1..9}; do echo problem-$i-problem >&2; done; exit 3`)
	var out, problems strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&out, "line-%d\n", i+1)
	}
	problems.WriteString("short\n")
	for i := range 9 {
		fmt.Fprintf(&problems, "problem-%d-problem\n", i+1)
	}
	for name, want := range map[string]string{"c-stdout.txt": out.String(), "c-stderr.txt": problems.String()} {
		path := filepath.Join(folder, "s", name)
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s holds %d bytes, want %d: %v", name, len(text), len(want), err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	want := []cut{{"stdout", int64(out.Len()), int64(out.Len() - 100), "spill:c-stdout.txt"}, {"stderr", int64(problems.Len()), int64(problems.Len() - 100), "spill:c-stderr.txt"}}
	if fmt.Sprint(cuts) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", cuts, want)
	}
	// Fifty bytes are seven whole lines and a begun one: line 7 is the first that is not there whole.
	if marker := fmt.Sprintf("[… %d bytes left out; all %d bytes are in spill:c-stdout.txt: go on with read, offset 8 …]", out.Len()-100, out.Len()); !strings.Contains(got.Text, marker) ||
		!strings.HasSuffix(got.Text, "[exit code: 3]") || !strings.Contains(got.Text, "[stderr]\nshort\n") {
		t.Errorf("%s\nshould have %s", got.Text, marker)
	}
}

func TestOutputThatFitsIsNotKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "spill")
	got, cuts := printing(t, Config{OutputCapBytes: 100, Spill: spillFolder(t, folder, 0)}, `printf '%0100d' 0`)
	if got.Text != strings.Repeat("0", 100) || cuts != nil {
		t.Errorf("%q %v", got.Text, cuts)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
}

func TestWhatIsBeyondTheBoundIsSaidToBeLost(t *testing.T) {
	got, _ := printing(t, Config{OutputCapBytes: 10, Spill: spillFolder(t, t.TempDir(), 20)}, `printf '%0100d' 0`)
	if want := "00000\n[… 90 bytes left out; the first 20 of all 100 bytes are in spill:c-stdout.txt: go on with read, offset 1 …]\n00000"; got.Text != want {
		t.Errorf("%q", got.Text)
	}
}

func TestOutputThatCannotBeKeptIsStillAResult(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, cuts := printing(t, Config{OutputCapBytes: 10, Spill: spillFolder(t, file, 0)}, `printf '%0100d' 0`)
	if got.IsError || !strings.Contains(got.Text, "[… 90 bytes left out; they are lost: spill: making the session's folder") || len(cuts) != 1 || cuts[0].File != "" {
		t.Errorf("%+v %v", got, cuts)
	}
}

func TestLongOutputKeepsItsBeginningAndItsEnd(t *testing.T) {
	got := runIn(t, t.Context(), Config{OutputCapBytes: 100}, t.TempDir(), `echo first; for i in {1..50000}; do echo middle-$i; done; echo last`)
	if !strings.HasPrefix(got.Text, "first\n") || !strings.HasSuffix(got.Text, "\nlast\n") || !strings.Contains(got.Text, "bytes left out …]") {
		t.Errorf("%q", got.Text)
	}
	if len(got.Text) > 200 {
		t.Errorf("%d bytes", len(got.Text))
	}
}

// Whatever is written in whatever pieces, what is kept and what is said to be left out add up, and the text is valid.
func TestCaptureLosesNothingInSilence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 40).Draw(t, "limit")
		pieces := rapid.SliceOf(rapid.StringMatching(`[a-zäß€😀]{0,12}`)).Draw(t, "pieces")
		c, err := newCapture("stdout", limit, nil)
		if err != nil {
			t.Fatal(err)
		}
		writer, err := syscall.Dup(int(c.writer.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		out := os.NewFile(uintptr(writer), "out")
		c.start()
		for _, piece := range pieces {
			if _, err := out.WriteString(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		whole := strings.Join(pieces, "")
		text, _ := c.finish(clock.System())
		if !utf8.ValidString(text) {
			t.Fatalf("%q", text)
		}
		if len(whole) <= limit {
			if text != whole {
				t.Fatalf("%q became %q", whole, text)
			}
			return
		}
		head, rest, _ := strings.Cut(text, "\n[… ")
		count, tail, _ := strings.Cut(rest, " bytes left out …]\n")
		omitted, err := strconv.Atoi(count)
		if err != nil || len(head)+omitted+len(tail) != len(whole) || !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) {
			t.Fatalf("limit %d: %q became %q", limit, whole, text)
		}
	})
}

// In whatever pieces output comes, the spill file has all of it, or its beginning.
func TestTheSpillFileIsTheOutput(t *testing.T) {
	folder := spillFolder(t, t.TempDir(), 30)
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(2, 40).Draw(rt, "limit")
		pieces := rapid.SliceOf(rapid.StringN(0, 12, 12)).Draw(rt, "pieces")
		c := &capture{stream: "stdout", limit: limit, spill: func(stream string) (*spill.File, error) { return folder.Create("s", "c", stream) }}
		for _, piece := range pieces {
			c.keep([]byte(piece))
		}
		whole := strings.Join(pieces, "")
		if (len(whole) > limit) != (c.file != nil) {
			rt.Fatalf("%d bytes, the limit is %d: %v", len(whole), limit, c.file)
		}
		if c.file == nil {
			return
		}
		if err := errors.Join(c.problem, c.file.Close()); err != nil {
			rt.Fatal(err)
		}
		if text, err := os.ReadFile(c.file.Path()); err != nil || string(text) != whole[:min(len(whole), 30)] {
			rt.Fatalf("%q became %q, %v", whole, text, err)
		}
	})
}
