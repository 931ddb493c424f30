package files_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keylane/host/spill"
	"keylane/host/tool"
	"keylane/host/tool/files"
)

func TestAWriteDoesNotUndoWhatSomebodyElseDid(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("f", "one\n")
	p.call("read", object{"file_path": "f"})
	p.put("f", "one\nof the person\n")
	p.refuses(files.CodeChanged, "Read it again", "write", object{"file_path": "f", "content": "two\n"})
	p.holds("f", "one\nof the person\n")
	// An edit touches nothing else, but it does not mean that the agent knows the rest.
	p.says("Edited f: 1 replacement, in line 1.", "edit", object{"file_path": "f", "old_string": "one", "new_string": "two"})
	p.refuses(files.CodeChanged, "Read it again", "write", object{"file_path": "f", "content": "two\n"})
	p.call("read", object{"file_path": "f"})
	p.says("Overwrote f: 1 line, 6 bytes.", "write", object{"file_path": "f", "content": "three\n"})
	p.says("Edited f: 1 replacement, in line 1.", "edit", object{"file_path": "f", "old_string": "three", "new_string": "four"})
	p.says("Overwrote f: 1 line, 5 bytes.", "write", object{"file_path": "f", "content": "five\n"})
	// What it never read it replaces, and so does another session.
	p.put("unread", "x")
	p.says("Overwrote unread: 1 line, 2 bytes.", "write", object{"file_path": "unread", "content": "y\n"})
	p.put("f", "changed\n")
	got := p.registry.Execute(t.Context(), "write", `{"file_path":"f","content":"six\n"}`, tool.Call{Cwd: p.cwd, SessionID: "another"})
	if got.IsError {
		t.Error(got.Text)
	}
}

func TestAWriteKeepsTheLineEndsOfTheFile(t *testing.T) {
	p := newPlace(t, files.Config{})
	for name, want := range map[string]string{"a\r\nb\r\n": "x\r\ny\r\n", "a\r\nb\n": "x\ny\n", "a\nb": "x\ny\n", "": "x\ny\n"} {
		p.put("f", name)
		p.call("read", object{"file_path": "f"})
		p.call("write", object{"file_path": "f", "content": "x\ny\n"})
		p.holds("f", want)
	}
	p.put("f", "a\r\n")
	p.call("read", object{"file_path": "f"})
	p.call("write", object{"file_path": "f", "content": "x\r\ny\n"})
	p.holds("f", "x\r\ny\n")
}

func spilling(t *testing.T) (*place, *spill.Folder) {
	t.Helper()
	folder, err := spill.New(spill.Config{Dir: filepath.Join(t.TempDir(), "spill")})
	if err != nil {
		t.Fatal(err)
	}
	return newPlace(t, files.Config{Spill: folder}), folder
}

func TestReadTakesTheSessionsSpillFiles(t *testing.T) {
	p, folder := spilling(t)
	keep := func(session, text string) *spill.File {
		file, err := folder.Create(session, "call", "stdout")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		return file
	}
	own, foreign := keep("", "one\n\xff\x00\n"), keep("another", "secret\n")
	for _, name := range []string{own.Handle(), own.Path()} {
		p.says("1\tone\n2\t\uFFFD\x00\n[end of file, 2 lines]", "read", object{"file_path": name})
	}
	if card := string(p.call("read", object{"file_path": own.Path()}).Meta); !strings.Contains(card, `"path":"spill:call-stdout.txt"`) {
		t.Error(card)
	}
	p.refuses(files.CodeOutside, "outside", "read", object{"file_path": foreign.Path()})
	for _, name := range []string{"spill:../another/call-stdout.txt", "spill:", "spill:.", "spill:..", "spill:/etc/passwd"} {
		if got := p.call("read", object{"file_path": name}); !got.IsError || strings.Contains(got.Text, "secret") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	p.refuses(files.CodeNotFound, "Run the command again", "read", object{"file_path": "spill:gone.txt"})
	// A command can put a link there; it does not lead out.
	if err := os.Symlink(foreign.Path(), filepath.Join(folder.Session(""), "link.txt")); err != nil {
		t.Fatal(err)
	}
	p.refuses(files.CodeOutside, "outside", "read", object{"file_path": "spill:link.txt"})
	p.refuses(files.CodeOutside, "outside", "write", object{"file_path": own.Path(), "content": "x"})
	// A file of the workspace with such a name is meant by another spelling.
	p.put("spill:call-stdout.txt", "of the workspace\n")
	p.says("1\tof the workspace\n[end of file, 1 line]", "read", object{"file_path": "./spill:call-stdout.txt"})
}

func TestASessionWithoutSpillFilesHasNone(t *testing.T) {
	p, _ := spilling(t)
	p.refuses(files.CodeNotFound, "does not exist any more", "read", object{"file_path": "spill:call-stdout.txt"})
}

// In however many pieces a file comes, what is read is what is there.
func TestReadShowsTheLinesOfTheFile(t *testing.T) {
	p := newPlace(t, files.Config{ResultCapBytes: 1 << 20})
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.Custom(func(rt *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"", "a", "ä", "€", "😀"}).Draw(rt, "character"), rapid.SampledFrom([]int{1, 3, 500, 40_000}).Draw(rt, "times"))
		})
		lines := rapid.SliceOfN(line, 1, 12).Draw(rt, "lines")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end")
		first := rapid.IntRange(1, len(lines)).Draw(rt, "first")
		p.put("f", strings.Join(lines, end)+end)
		var want strings.Builder
		for _, text := range lines[first-1:] {
			kept := text
			if len(kept) > 2000 {
				kept = strings.ToValidUTF8(kept[:2000], "")
			}
			want.WriteString(kept + "\n")
		}
		got := p.call("read", object{"file_path": "f", "offset": first})
		var shown strings.Builder
		for i, text := range strings.Split(got.Text, "\n")[:len(lines)-first+1] {
			_, text, _ = strings.Cut(text, "\t")
			kept, rest, cut := strings.Cut(text, "… [")
			if whole := lines[first-1+i]; cut != (len(whole) > 2000) || cut && !strings.HasPrefix(rest, strconv.Itoa(len(whole)-len(kept))) {
				rt.Fatalf("line %d: %q", first+i, rest)
			}
			shown.WriteString(kept + "\n")
		}
		if shown.String() != want.String() {
			rt.Fatalf("%.200q, want %.200q", shown.String(), want.String())
		}
	})
}
