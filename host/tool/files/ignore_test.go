package files_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keylane/host/tool/files"
)

func TestSearchesLeaveOutWhatGitignoreNames(t *testing.T) {
	p := newPlace(t, files.Config{Gitignore: true})
	p.put(".gitignore", "# build\n*.log\n!keep.log\n/dist/\nsub/*.tmp\n")
	p.put("sub/.gitignore", "!b.log\nsecret\n")
	p.put(".git/info/exclude", "excluded\n")
	for _, name := range []string{"a.log", "keep.log", "dist/x.go", "sub/b.log", "sub/c.log", "sub/t.tmp", "t.tmp", "sub/secret", "secret", "sub/dist/y.go", "excluded", "sub/dist/.gitignore"} {
		p.put(name, "word\n")
	}
	p.put("sub/dist/.gitignore", "*\n!.gitignore\n")
	found := ".gitignore\nkeep.log\nsecret\nsub/.gitignore\nsub/b.log\nsub/dist/.gitignore\nt.tmp\n[7 files]"
	p.says(found, "glob", object{"pattern": "**"})
	p.says("keep.log:1:word\nsecret:1:word\nsub/b.log:1:word\nt.tmp:1:word\n[4 lines]", "grep", object{"pattern": "word"})
	// The rules above count also where a search begins further down, unless it begins in what they ignore.
	p.says("sub/.gitignore\nsub/b.log\nsub/dist/.gitignore\n[3 files]", "glob", object{"pattern": "**", "path": "sub"})
	p.says("dist/x.go\n[1 file]", "glob", object{"pattern": "**", "path": "dist"})
	p.says("a.log:1:word\n[1 line]", "grep", object{"pattern": "word", "path": "a.log"})
	p.says("a.log\nkeep.log\nsub/b.log\nsub/c.log\n[4 files]", "glob", object{"pattern": "*.log", "include_ignored": true})
	p.says("sub/secret:1:word\n[1 line]", "grep", object{"pattern": "word", "include": "secret", "path": "sub", "include_ignored": true})
	p.says("1\tword\n[end of file, 1 line]", "read", object{"file_path": "a.log"})

	without := newPlace(t, files.Config{})
	without.put(".gitignore", "*\n")
	without.put("a", "")
	without.says(".gitignore\na\n[2 files]", "glob", object{"pattern": "**"})
}

func TestAnIgnoreFileFromOutsideIsNotRead(t *testing.T) {
	p := newPlace(t, files.Config{Gitignore: true})
	outside := filepath.Join(p.outside, "rules")
	if err := os.WriteFile(outside, []byte("*\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(p.cwd, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	p.put("a", "")
	p.says(".gitignore\na\n[2 files]", "glob", object{"pattern": "**"})
}

// Git itself is the judge: whatever stands in the ignore files, a search finds what git does not ignore.
func TestGitignoreMeansWhatGitSays(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git to compare with")
	}
	names := []string{"a", "b", "ab", "a.c", "a/b", "a-b", "b/a", "b/b/a", "b/b/b", "c/a/b", "c/b/a.c", "]", "b/]", "c/ab", " ", "c/c"}
	p := newPlace(t, files.Config{Gitignore: true})
	run := func(input string, arguments ...string) []byte {
		cmd := exec.Command(git, arguments...)
		cmd.Dir = p.cwd
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+p.outside)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", arguments, err)
		}
		return out
	}
	run("", "init", "-q")
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(p.cwd, name)); err == nil && info.IsDir() {
			continue
		}
		if name == "a/b" {
			name = "d/b" // a is a file
		}
		if strings.HasPrefix(name, "b/") {
			name = "e" + name[1:]
		}
		p.put(name, "")
	}
	pattern := rapid.Custom(func(rt *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "*", "**", "/", "?", "[ab]", "[!a]", "[^b-z]", "[]]", "[a", "]", ".", "!", "#", `\`, " ", "-", "**/", "/**", "[[:alpha:]]", "[z-a]", "[a-]", "[!]a]"}), 1, 6).Draw(rt, "pieces")
		// Two stars in the middle of a name are one star by the documentation; what git makes of them depends on where its memory lies.
		return inside.ReplaceAllString(strings.Join(pieces, ""), "$1*")
	})
	rapid.Check(t, func(rt *rapid.T) {
		for _, file := range []string{".gitignore", "c/.gitignore", "e/.gitignore"} {
			p.put(file, strings.Join(rapid.SliceOfN(pattern, 0, 4).Draw(rt, file), "\n"))
		}
		var want []string
		for _, name := range bytes.Split(run("", "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"), []byte{0}) {
			if len(name) > 0 {
				want = append(want, string(name))
			}
		}
		got := strings.Split(p.call("glob", object{"pattern": "**"}).Text, "\n")
		got = got[:len(got)-1]
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			rt.Fatalf("found %q\ngit  %q", got, want)
		}
	})
}

var inside = regexp.MustCompile(`([^/!])\*\*+`)

func FuzzIgnoreFile(f *testing.F) {
	for _, text := range []string{"[", "[!", `[\`, "**/**/**", "!", "\\", "[[:alpha:]", "[a-\\", "/", "*/", "\xff", "[\xff-\xfe]", "[ä-ü]x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := newPlace(t, files.Config{Gitignore: true})
		p.put(".gitignore", text)
		p.put("a/b", "")
		if got := p.call("glob", object{"pattern": "**"}); got.IsError {
			t.Fatalf("%q: %s", text, got.Text)
		}
	})
}
