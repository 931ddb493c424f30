package lint

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// history are documents that tell what was: decisions name what they replaced, and a changelog what is gone. Their tests must still
// exist (citations), their paths need not.
var history = []string{"docs/decisions", "CHANGELOG.md"}

// A mention is a file, a folder or a label that a document names: as `code`, in a block of commands, or as the target of a link.
type mention struct{ place, what string }

// mentions remembers them in their order; what is asked of them needs the whole tree.
type mentions []mention

var (
	inlineCode = regexp.MustCompile("`([^`]+)`")
	link       = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	fence      = regexp.MustCompile("^\\s*```")
	label      = regexp.MustCompile(`^//[a-z0-9_./:-]*$`)
)

// rooms are the folders that a path in a document begins with. A path that begins otherwise is somebody else's: a person's home, a
// project, an address.
var rooms = []string{"host", "web", "replay", "seed", "scaffold", "e2e", "fixtures", "goldens", "tools", "docs", ".ci", ".github"}

// toBeMade is what a reader is told to make.
var toBeMade = []string{"e2e/hello", "fixtures/hello", "goldens/hello"}

// frame is how the host's own events are called, host/settings-changed: no folder's name has a hyphen.
var frame = regexp.MustCompile(`^host/[a-z]+-[a-z-]+$`)

// read takes one document into account.
func (m *mentions) read(name string, text []byte) {
	if inAny(name, history) {
		return
	}
	inBlock := false
	for number, line := range strings.Split(string(text), "\n") {
		place := fmt.Sprintf("%s:%d", name, number+1)
		if fence.MatchString(line) {
			inBlock = !inBlock
			continue
		}
		if inBlock {
			command, _, _ := strings.Cut(line, " #")
			m.words(place, command)
			continue
		}
		for _, match := range inlineCode.FindAllStringSubmatch(line, -1) {
			m.words(place, match[1])
		}
		for _, match := range link.FindAllStringSubmatch(line, -1) {
			if !strings.Contains(match[1], ":") {
				*m = append(*m, mention{place, path.Join(path.Dir(name), match[1])})
			}
		}
	}
}

// words takes the words of a command, or the one word of a name.
func (m *mentions) words(place, code string) {
	for _, word := range strings.Fields(code) {
		if word = strings.Trim(word, ",;:()"); !strings.HasSuffix(word, "...") {
			word = strings.TrimSuffix(word, ".")
		}
		if strings.HasPrefix(word, "//") {
			if label.MatchString(word) && !inAny(strings.TrimPrefix(word, "//"), toBeMade) {
				*m = append(*m, mention{place, word})
			}
			continue
		}
		word = strings.TrimPrefix(word, "./")
		room, rest, below := strings.Cut(word, "/")
		for _, known := range rooms {
			if room == known && below && !strings.ContainsAny(rest, "<>$=~…") && !inAny(word, toBeMade) && !frame.MatchString(word) {
				for _, one := range alternatives(word) {
					*m = append(*m, mention{place, one})
				}
			}
		}
	}
}

// alternatives spells a/{b,c}/d out.
func alternatives(word string) []string {
	before, rest, found := strings.Cut(word, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{word}
	}
	var spelled []string
	for _, one := range strings.Split(inner, ",") {
		spelled = append(spelled, alternatives(before+one+after)...)
	}
	return spelled
}

// problems are the places that are not in the tree. They can be told only in a whole checkout: Bazel's test sees the files that it was
// given, so it leaves this to the same test outside (.ci/run).
func (m mentions) problems(root fs.FS) []Problem {
	if _, err := fs.Stat(root, "WORKSPACE"); err != nil {
		return nil
	}
	var problems []Problem
	for _, mention := range m {
		if !exists(root, mention.what) {
			problems = append(problems, Problem{mention.place, "document", fmt.Sprintf("there is no %s: say where it is today", mention.what)})
		}
	}
	return problems
}

func exists(root fs.FS, what string) bool {
	if strings.HasPrefix(what, "//") {
		return target(root, what)
	}
	what = path.Clean(strings.TrimSuffix(what, "/..."))
	if strings.ContainsAny(what, "*?[") {
		found, err := fs.Glob(root, strings.ReplaceAll(what, "**", "*"))
		if strings.Contains(what, "**") {
			// any depth: the folder before the stars is what can be checked
			before, _, _ := strings.Cut(what, "**")
			_, err := fs.Stat(root, path.Clean(before))
			return err == nil
		}
		return err == nil && len(found) > 0
	}
	_, err := fs.Stat(root, what)
	return err == nil
}

// target says whether a label names something: a package for //a/..., the rule of that name in the BUILD file of //a:b, or a file.
func target(root fs.FS, what string) bool {
	folder, name, named := strings.Cut(strings.TrimPrefix(what, "//"), ":")
	if before, all := strings.CutSuffix(folder, "..."); all {
		_, err := fs.Stat(root, path.Clean("./"+before))
		return err == nil
	}
	if !named {
		name = path.Base(folder)
	}
	folder = path.Clean("./" + folder)
	build, err := fs.ReadFile(root, path.Join(folder, "BUILD.bazel"))
	if err != nil {
		return false
	}
	if strings.Contains(string(build), fmt.Sprintf("name = %q", name)) || name == "all" {
		return true
	}
	_, err = fs.Stat(root, path.Join(folder, name))
	return err == nil
}
