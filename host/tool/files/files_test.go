package files_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"keylane/host/clock"
	"keylane/host/tool"
	"keylane/host/tool/files"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place is a workspace with the tools in front of it, and a folder outside.
type place struct {
	t        *testing.T
	registry *tool.Registry
	cwd      string
	outside  string
}

func newPlace(t *testing.T, c files.Config) *place {
	t.Helper()
	p := &place{t: t, registry: tool.NewRegistry(), cwd: t.TempDir(), outside: t.TempDir()}
	for _, each := range files.New(c) {
		if _, err := p.registry.Register(each); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *place) put(name, content string) {
	p.t.Helper()
	full := filepath.Join(p.cwd, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) holds(name, content string) {
	p.t.Helper()
	got, err := os.ReadFile(filepath.Join(p.cwd, name))
	if err != nil {
		p.t.Fatal(err)
	}
	if string(got) != content {
		p.t.Errorf("%s holds %q, want %q", name, got, content)
	}
}

func (p *place) call(name string, arguments map[string]any) tool.Result {
	p.t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		p.t.Fatal(err)
	}
	result := p.registry.Execute(p.t.Context(), name, string(text), tool.Call{Cwd: p.cwd, Clock: clock.System()})
	if strings.Contains(result.Text, p.outside) && !strings.Contains(string(text), p.outside) {
		p.t.Errorf("%s tells of a path that is none of its business: %s", name, result.Text)
	}
	return result
}

func (p *place) says(want, name string, arguments map[string]any) {
	p.t.Helper()
	got := p.call(name, arguments)
	if got.IsError {
		p.t.Errorf("%s %v failed: %s", name, arguments, got.Text)
	}
	if diff := cmp.Diff(want, got.Text); diff != "" {
		p.t.Errorf("%s %v (-want +got):\n%s", name, arguments, diff)
	}
}

func (p *place) refuses(code, words, name string, arguments map[string]any) {
	p.t.Helper()
	got := p.call(name, arguments)
	if !got.IsError || got.Error == nil || got.Error.Code != code || !strings.Contains(got.Text, words) {
		p.t.Errorf("%s %v: %q %+v, want code %s and the words %q", name, arguments, got.Text, got.Error, code, words)
	}
}

type object = map[string]any

func TestReadNumbersTheLinesAndSaysHowFarItCame(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("a/notes.txt", "one\r\ntwo\nthree")
	p.put("empty", "")
	p.says("1\tone\n2\ttwo\n3\tthree\n[end of file, 3 lines]", "read", object{"file_path": "a/notes.txt"})
	p.says("2\ttwo\n[lines 2 to 2 of 3; go on with offset 3]", "read", object{"file_path": "./a//notes.txt", "offset": 2, "limit": 1})
	p.says("3\tthree\n[end of file, 3 lines]", "read", object{"file_path": filepath.Join(p.cwd, "a/notes.txt"), "offset": 3})
	p.says("[the file is empty]", "read", object{"file_path": "empty"})
	p.refuses(files.CodeInvalidInput, "there is no line 4", "read", object{"file_path": "a/notes.txt", "offset": 4})
	var card struct {
		Card, Path, Content             string
		FirstLine, LastLine, TotalLines int
	}
	if err := json.Unmarshal(p.call("read", object{"file_path": "a/notes.txt", "limit": 2}).Meta, &card); err != nil {
		t.Fatal(err)
	}
	if card.Card != "file" || card.Path != "a/notes.txt" || card.Content != "one\ntwo\n" || card.FirstLine != 1 || card.LastLine != 2 || card.TotalLines != 3 {
		t.Errorf("%+v", card)
	}
}

func TestReadIsBounded(t *testing.T) {
	p := newPlace(t, files.Config{MaxFileBytes: 6000, ResultCapBytes: 100})
	p.put("long", strings.Repeat("ä", 2500)+"\nx\n")
	p.put("many", strings.Repeat("0123456789\n", 50))
	p.put("large", strings.Repeat("x", 6001))
	got := p.call("read", object{"file_path": "long"})
	if !strings.HasPrefix(got.Text, "1\t"+strings.Repeat("ä", 1000)+"… [3000 more bytes]\n[lines 1 to 1 of 2; go on with offset 2]") {
		t.Errorf("%q", got.Text)
	}
	if got := p.call("read", object{"file_path": "many"}); len(got.Text) > 160 || !strings.Contains(got.Text, "go on with offset") {
		t.Errorf("%q", got.Text)
	}
	p.says("1\t"+strings.Repeat("x", 2000)+"… [4001 more bytes]\n[end of file, 1 line]", "read", object{"file_path": "large"})
	p.refuses(files.CodeTooLarge, "the limit is 6000", "grep", object{"pattern": "x", "path": "large"})
	p.says("[nothing found]\n[not searched: 1 file that is larger than 6000 bytes]", "grep", object{"pattern": "xx"})
	p.refuses(files.CodeTooLarge, "the limit is 6000", "write", object{"file_path": "new", "content": strings.Repeat("x", 6001)})
	p.refuses(files.CodeTooLarge, "the limit is 6000", "edit", object{"file_path": "many", "old_string": "0", "new_string": strings.Repeat("x", 200), "replace_all": true})
	p.holds("many", strings.Repeat("0123456789\n", 50))
}

func TestWhatIsNoTextFileIsRefused(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("folder/file", "")
	p.put("binary", "a\x00b")
	p.put("latin", "caf\xe9")
	if err := syscall.Mkfifo(filepath.Join(p.cwd, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{
		"folder": files.CodeNotAFile, "binary": files.CodeBinary, "latin": files.CodeBinary, "pipe": files.CodeNotAFile,
		"nothing": files.CodeNotFound, "folder/file/below": files.CodeNotFound, ".": files.CodeNotAFile,
	} {
		p.refuses(code, name, "read", object{"file_path": name})
		p.refuses(code, "", "edit", object{"file_path": name, "old_string": "a", "new_string": "b"})
	}
	p.refuses(files.CodeNotAFile, "folder", "write", object{"file_path": "folder", "content": ""})
	p.refuses(files.CodeNotAFile, "pipe", "write", object{"file_path": "pipe", "content": ""})
	p.refuses(files.CodeNotFound, "not a folder", "write", object{"file_path": "binary/below", "content": ""})
	p.refuses(files.CodeInvalidInput, "NUL", "read", object{"file_path": "a\x00b"})
	p.says("Overwrote binary: 1 line, 1 bytes.", "write", object{"file_path": "binary", "content": "x"})
}

func TestNothingLeadsOutOfTheWorkspace(t *testing.T) {
	p := newPlace(t, files.Config{})
	secret := filepath.Join(p.outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("SECRET\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"file": secret, "folder": p.outside, "up": "../" + filepath.Base(p.outside), "chain": "folder/secret.txt"} {
		if err := os.Symlink(to, filepath.Join(p.cwd, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{secret, "../x", "a/../../x", "/etc/passwd", "file", "folder/secret.txt", "chain", "folder/new.txt", p.cwd + "x/y"} {
		p.refuses(files.CodeOutside, "outside the working directory", "read", object{"file_path": name})
		p.refuses(files.CodeOutside, "outside the working directory", "write", object{"file_path": name, "content": "broken"})
		p.refuses(files.CodeOutside, "outside the working directory", "edit", object{"file_path": name, "old_string": "SECRET", "new_string": "broken"})
	}
	for _, name := range []string{"..", p.outside, "folder", "file"} {
		p.refuses(files.CodeOutside, "outside the working directory", "glob", object{"pattern": "*", "path": name})
		p.refuses(files.CodeOutside, "outside the working directory", "grep", object{"pattern": "SECRET", "path": name})
	}
	p.says("[nothing found]", "grep", object{"pattern": "SECRET"})
	p.says("chain\nfile\nfolder\nup\n[4 files]", "glob", object{"pattern": "**"})
	left, err := os.ReadDir(p.outside)
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	if content, err := os.ReadFile(secret); err != nil || string(content) != "SECRET\n" {
		t.Errorf("%q %v", content, err)
	}
}

func TestALinkInsideIsReadAndNotReplaced(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("real/a.txt", "text\n")
	for link, to := range map[string]string{"a": "real/a.txt", "dir": "real", "loop": "loop", "gone": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(p.cwd, link)); err != nil {
			t.Fatal(err)
		}
	}
	p.says("1\ttext\n[end of file, 1 line]", "read", object{"file_path": "a"})
	p.says("1\ttext\n[end of file, 1 line]", "read", object{"file_path": "dir/a.txt"})
	p.refuses(files.CodeNotAFile, "a symbolic link to real/a.txt", "edit", object{"file_path": "a", "old_string": "text", "new_string": "x"})
	p.refuses(files.CodeNotAFile, "a symbolic link to nowhere", "write", object{"file_path": "gone", "content": "x"})
	p.refuses(files.CodeNotAFile, "leads to itself", "read", object{"file_path": "loop"})
	p.says("Edited dir/a.txt: 1 replacement, in line 1.", "edit", object{"file_path": "dir/a.txt", "old_string": "text", "new_string": "new"})
	p.holds("real/a.txt", "new\n")
}

func TestWriteMakesFoldersKeepsPermissionsAndLeavesNothingBehind(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("run.sh", "old\n")
	if err := os.Chmod(filepath.Join(p.cwd, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.says("Created a/b/c.txt: 2 lines, 7 bytes.", "write", object{"file_path": "a/b/c.txt", "content": "one\ntwo"})
	p.says("Created empty: 0 lines, 0 bytes.", "write", object{"file_path": "empty", "content": ""})
	p.says("Overwrote run.sh: 1 line, 4 bytes.", "write", object{"file_path": "run.sh", "content": "new\n"})
	p.holds("a/b/c.txt", "one\ntwo")
	p.holds("run.sh", "new\n")
	info, err := os.Stat(filepath.Join(p.cwd, "run.sh"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	p.says("a/b/c.txt\nempty\nrun.sh\n[3 files]", "glob", object{"pattern": "**/*"})
}

func TestAWriteThatFailsKeepsTheOldFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("as root the folder's permissions stop nobody: only the name is too long here")
	}
	p := newPlace(t, files.Config{})
	p.refuses(files.CodeFailed, "name too long", "write", object{"file_path": strings.Repeat("n", 300), "content": "x"})
	p.says("[nothing found]", "glob", object{"pattern": "*"})
}

func TestEditReplacesExactlyWhatItWasGiven(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("f", "a\nb\na\n")
	p.refuses(files.CodeAmbiguous, "2 times, in lines 1, 3", "edit", object{"file_path": "f", "old_string": "a", "new_string": "x"})
	p.refuses(files.CodeNoMatch, "not in f", "edit", object{"file_path": "f", "old_string": "A", "new_string": "x"})
	p.refuses(files.CodeNoMatch, "the same", "edit", object{"file_path": "f", "old_string": "a", "new_string": "a"})
	p.refuses(files.CodeNotFound, "Use write", "edit", object{"file_path": "g", "old_string": "a", "new_string": "b"})
	p.refuses(tool.CodeInvalidArguments, "/old_string", "edit", object{"file_path": "f", "old_string": "", "new_string": "b"})
	p.holds("f", "a\nb\na\n")
	p.says("Edited f: 1 replacement, in line 2.", "edit", object{"file_path": "f", "old_string": "b\na", "new_string": "$1 \\0"})
	p.holds("f", "a\n$1 \\0\n")
	p.put("f", "a\nb\na\n")
	p.says("Edited f: 2 replacements, in lines 1, 3.", "edit", object{"file_path": "f", "old_string": "a", "new_string": "", "replace_all": true})
	p.holds("f", "\nb\n\n")
}

func TestEditKeepsTheFilesLineEnds(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("f", "\ufeffa\r\nb\r\nc\r\n")
	p.says("Edited f: 1 replacement, in line 1.", "edit", object{"file_path": "f", "old_string": "a\nb\n", "new_string": "x\ny\nz\n"})
	p.holds("f", "\ufeffx\r\ny\r\nz\r\nc\r\n")
	p.says("Edited f: 1 replacement, in line 3.", "edit", object{"file_path": "f", "old_string": "z", "new_string": "1\n2"})
	p.holds("f", "\ufeffx\r\ny\r\n1\r\n2\r\nc\r\n")
}

func TestTheDiffOfAChange(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13")
	got := p.call("write", object{"file_path": "f", "content": "1\ntwo\nzwei\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n"})
	want := `{"card":"diff","path":"f","action":"overwritten","added":3,"removed":2,"hunks":[` +
		`{"oldStart":1,"newStart":1,"lines":[" 1","-2","+two","+zwei"," 3"," 4"," 5"]},` +
		`{"oldStart":10,"newStart":11,"lines":[" 10"," 11"," 12","-13","\\ no newline at the end","+13"]}]}`
	if diff := cmp.Diff(want, string(got.Meta)); diff != "" {
		t.Error(diff)
	}
	got = p.call("write", object{"file_path": "g", "content": "<b>\n"})
	if want := `{"card":"diff","path":"g","action":"created","added":1,"removed":0,"hunks":[{"oldStart":1,"newStart":1,"lines":["+<b>"]}]}`; string(got.Meta) != want {
		t.Errorf("%s", got.Meta)
	}
	got = p.call("write", object{"file_path": "g", "content": "<b>\n"})
	if want := `{"card":"diff","path":"g","action":"overwritten","added":0,"removed":0,"hunks":[]}`; string(got.Meta) != want {
		t.Errorf("%s", got.Meta)
	}
	got = p.call("write", object{"file_path": "long", "content": strings.Repeat("x\n", 3000)})
	if !strings.Contains(string(got.Meta), `"added":3000,"removed":0,"truncated":true`) {
		t.Errorf("%.200s", got.Meta)
	}
}

func TestADiffLeadsFromTheOldTextToTheNewOne(t *testing.T) {
	p := newPlace(t, files.Config{})
	rapid.Check(t, func(r *rapid.T) {
		text := func(name string) string {
			joined := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 30).Draw(r, name), "\n")
			return joined
		}
		before, after := text("before"), text("after")
		p.put("f", before)
		p.call("read", object{"file_path": "f"}) // or it were changed by somebody else
		var card struct {
			Added, Removed int
			Hunks          []struct {
				OldStart, NewStart int
				Lines              []string
			}
		}
		if err := json.Unmarshal(p.call("write", object{"file_path": "f", "content": after}).Meta, &card); err != nil {
			r.Fatal(err)
		}
		old, rebuilt := strings.SplitAfter(before, "\n"), ""
		at := 0
		for _, h := range card.Hunks {
			if at > h.OldStart-1 {
				r.Fatalf("the hunk at %d overlaps the one before: %+v", h.OldStart, card)
			}
			rebuilt += strings.Join(old[at:h.OldStart-1], "")
			if line := 1 + strings.Count(rebuilt, "\n"); line != h.NewStart {
				r.Fatalf("the hunk says it begins at line %d of the new text, and it is %d", h.NewStart, line)
			}
			at = h.OldStart - 1
			for i, line := range h.Lines {
				end := "\n"
				if i+1 < len(h.Lines) && h.Lines[i+1][0] == '\\' {
					end = ""
				}
				switch line[0] {
				case ' ':
					rebuilt += line[1:] + end
					at++
				case '+':
					rebuilt += line[1:] + end
					card.Added--
				case '-':
					at++
					card.Removed--
				}
			}
		}
		rebuilt += strings.Join(old[at:], "")
		if rebuilt != after || card.Added != 0 || card.Removed != 0 {
			r.Fatalf("%q → %q, the diff makes %q: %+v", before, after, rebuilt, card)
		}
	})
}

func TestGlobFindsPathsInOrder(t *testing.T) {
	p := newPlace(t, files.Config{})
	for _, name := range []string{"b.go", "a.go", "src/c.go", "src/deep/d.ts", "src/deep/e.tsx", ".hidden", ".git/config", "src/node_modules/x.go", "odd[1].txt"} {
		p.put(name, "x")
	}
	for pattern, want := range map[string]string{
		"*.go":          "a.go\nb.go\nsrc/c.go\n[3 files]",
		"./src/*.go":    "src/c.go\n[1 file]",
		"src/**":        "src/c.go\nsrc/deep/d.ts\nsrc/deep/e.tsx\n[3 files]",
		"src/**/*.go":   "src/c.go\n[1 file]",
		"**/*.{ts,tsx}": "src/deep/d.ts\nsrc/deep/e.tsx\n[2 files]",
		"[!b].go":       "a.go\nsrc/c.go\n[2 files]",
		"?.go":          "a.go\nb.go\nsrc/c.go\n[3 files]",
		`odd\[1].txt`:   "odd[1].txt\n[1 file]",
		".*":            ".hidden\n[1 file]",
		"*.md":          "[nothing found]",
	} {
		p.says(want, "glob", object{"pattern": pattern})
	}
	p.says("src/deep/d.ts\n[1 file]", "glob", object{"pattern": "*.ts", "path": "src"})
	p.says(".git/config\n[1 file]", "glob", object{"pattern": "*", "path": ".git"})
	p.refuses(files.CodeNotFound, "missing does not exist", "glob", object{"pattern": "*", "path": "missing"})
	p.refuses(files.CodeInvalidInput, "without its }", "glob", object{"pattern": "{a"})
	p.refuses(files.CodeInvalidInput, "without its ]", "glob", object{"pattern": "[a"})
}

func TestSearchesAreBounded(t *testing.T) {
	p := newPlace(t, files.Config{ResultCapBytes: 20})
	p.put("a/1", strings.Repeat("hit\n", 20))
	p.put("a/2", "hit\n")
	p.says("a/1\na/2\n[2 files]", "glob", object{"pattern": "*"})
	got := p.call("grep", object{"pattern": "hit"})
	if want := "a/1:1:hit\na/1:2:hit\n[the first 2 lines; there are more, narrow the search]"; got.Text != want || !strings.Contains(string(got.Meta), `"truncated":true`) {
		t.Errorf("%q %s", got.Text, got.Meta)
	}
}

func TestGrepReturnsLinesWithTheirPlace(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("a.go", "package a\r\nfunc A() {}\n")
	p.put("b.txt", "func B\nFUNC C")
	p.put("bin", "func\x00")
	const noText = "\n[not searched: 1 file that is no text]"
	p.says("a.go:2:func A() {}\nb.txt:1:func B\n[2 lines]"+noText, "grep", object{"pattern": "^func"})
	p.says("a.go:1:package a\n[1 line]"+noText, "grep", object{"pattern": "a$"})
	p.says("b.txt:1:func B\nb.txt:2:FUNC C\n[2 lines]", "grep", object{"pattern": "func", "include": "*.txt", "ignore_case": true})
	p.says("b.txt:1:func B\n[1 line]", "grep", object{"pattern": "func", "path": "b.txt"})
	p.says("[nothing found]"+noText, "grep", object{"pattern": "nothing"})
	p.put("wide", strings.Repeat("ä", 1000)+"needle"+strings.Repeat("b", 1000)+"\n")
	p.says("wide:1:[1876 bytes] …"+strings.Repeat("ä", 62)+"needle"+strings.Repeat("b", 370)+"… [630 more bytes]\n[1 line]", "grep", object{"pattern": "needle", "path": "wide"})
	p.refuses(files.CodeBinary, "not text", "grep", object{"pattern": "func", "path": "bin"})
	p.refuses(files.CodeInvalidInput, "not a regular expression", "grep", object{"pattern": "("})
	if card := string(p.call("grep", object{"pattern": "<a>", "include": "*.go"}).Meta); card != `{"card":"search","pattern":"<a>","path":".","include":"*.go","matches":0}` {
		t.Error(card)
	}
}

func TestACancelledCallDoesNothing(t *testing.T) {
	p := newPlace(t, files.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, arguments := range map[string]string{"write": `{"file_path":"f","content":"x"}`, "grep": `{"pattern":"x"}`} {
		got := p.registry.Execute(ctx, name, arguments, tool.Call{Cwd: p.cwd})
		if !got.IsError || got.Error.Code != files.CodeAborted {
			t.Errorf("%s: %+v", name, got)
		}
	}
	p.says("[nothing found]", "glob", object{"pattern": "*"})
}

func TestAWorkspaceThatIsNoneIsAResult(t *testing.T) {
	p := newPlace(t, files.Config{})
	for _, cwd := range []string{"relative", filepath.Join(p.cwd, "missing")} {
		got := p.registry.Execute(t.Context(), "glob", `{"pattern":"*"}`, tool.Call{Cwd: cwd})
		if !got.IsError || got.Error.Code != files.CodeFailed || !strings.Contains(got.Text, "working directory") {
			t.Errorf("%+v", got)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"**/*.{a,b}", "[!a-", "{{,}", `\`, "[]]", "a,b}"} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		p := newPlace(t, files.Config{})
		if strings.Contains(pattern, "*") {
			p.put("a/b", "x")
		}
		if got := p.call("glob", object{"pattern": pattern}); got.Error != nil && got.Error.Code == tool.CodeInternal {
			t.Fatalf("%q: %s", pattern, got.Text)
		}
	})
}

func TestAChangeIsShownBeforeItIsMade(t *testing.T) {
	p := newPlace(t, files.Config{})
	p.put("a.txt", "one\n")
	ask := func(name, arguments string) (tool.Request, bool) {
		return p.registry.Ask(t.Context(), name, arguments, tool.Call{Cwd: p.cwd, Clock: clock.System()})
	}
	for name, arguments := range map[string]string{
		"edit":  `{"file_path":"a.txt","old_string":"one","new_string":"two"}`,
		"write": `{"file_path":"a.txt","content":"two\n"}`,
	} {
		request, asks := ask(name, arguments)
		if !asks || request.Refusal != nil || request.Scope != "files: change" || !strings.Contains(string(request.View), `"-one","+two"`) {
			t.Errorf("%s: %v %+v %s", name, asks, request, request.View)
		}
	}
	p.holds("a.txt", "one\n")
	if request, asks := ask("edit", `{"file_path":"a.txt","old_string":"absent","new_string":"two"}`); !asks || request.Refusal == nil || request.Refusal.Error.Code != files.CodeNoMatch {
		t.Errorf("an edit that cannot be made: %v %+v", asks, request)
	}
	for name, arguments := range map[string]string{"read": `{"file_path":"a.txt"}`, "glob": `{"pattern":"*"}`, "grep": `{"pattern":"a"}`} {
		if _, asks := ask(name, arguments); asks {
			t.Errorf("%s asks", name)
		}
	}
	for _, invalid := range []string{`{"file_path":1}`, `{`} {
		if _, asks := ask("write", invalid); asks {
			t.Errorf("invalid arguments are asked about: %s", invalid)
		}
	}
}

func TestACallShowsWhatItIsAboutBeforeItHasRun(t *testing.T) {
	registry := tool.NewRegistry()
	for _, each := range files.New(files.Config{}) {
		if _, err := registry.Register(each); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, arguments, want string }{
		{"read", `{"file_path":"/folder/a/b.txt"}`, `{"card":"file","path":"a/b.txt"}`},
		{"read", `{"file_path":"/elsewhere/b.txt"}`, `{"card":"file","path":"/elsewhere/b.txt"}`},
		{"write", `{"file_path":"b.txt","content":"<b>"}`, `{"card":"diff","path":"b.txt"}`},
		{"edit", `{"file_path":"<b>.txt","old_string":"a","new_string":"b"}`, `{"card":"diff","path":"<b>.txt"}`},
		{"glob", `{"pattern":"*.go","path":"/folder"}`, `{"card":"search","path":".","pattern":"*.go"}`},
		{"grep", `{"pattern":"a|b","include":"*.go"}`, `{"card":"search","pattern":"a|b","include":"*.go"}`},
	} {
		if got := string(registry.Present(c.name, c.arguments, "/folder")); got != c.want {
			t.Errorf("%s(%s) looks like %s, want %s", c.name, c.arguments, got, c.want)
		}
	}
}
