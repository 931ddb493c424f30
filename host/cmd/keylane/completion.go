package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is what kong shows below the flags.
func (completionCommand) Help() string {
	return `Prints what makes the shell complete commands, flags and ids of sessions. It asks keylane itself, so it is right after an upgrade too.

Examples:

    source <(keylane completion bash)                               in ~/.bashrc
    source <(keylane completion zsh)                                in ~/.zshrc, after compinit
    keylane completion fish > ~/.config/fish/completions/keylane.fish`
}

func (k completionCommand) Run(c console) error {
	_, err := fmt.Fprint(c.out, shells[k.Shell])
	return err
}

// shells are the scripts. Each hands the words up to the cursor to `keylane complete` and shows what comes back.
var shells = map[string]string{
	"bash": `_keylane() {
    local IFS=$'\n' line word="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    for line in $("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
        case $line in
            :files) compopt -o filenames; COMPREPLY=($(compgen -f -- "${word#=}")) ;;
            :folders) compopt -o filenames; COMPREPLY=($(compgen -d -- "${word#=}")) ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done
}
complete -F _keylane keylane
`,
	"zsh": `#compdef keylane
_keylane() {
    local line
    local -a found
    for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            '') ;;
            :files) _files; return ;;
            :folders) _files -/; return ;;
            *) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    _describe keylane found
}
if [[ "${funcstack[1]}" == _keylane ]]; then _keylane "$@"; else compdef _keylane keylane; fi
`,
	"fish": `function __keylane_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c keylane -f -a '(__keylane_complete)'
`,
}

// What completes to names of files, and of folders: the shell knows better how.
const (
	files   = ":files"
	folders = ":folders"
)

// completeCommand is what the scripts ask. It prints one candidate a line, a tab and what it is; or files or folders.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words up to the cursor, the last one being completed."`
}

func (k completeCommand) Run(c console) error {
	words := k.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	for _, found := range newCursor(c, words).candidates() {
		if _, err := fmt.Fprintln(c.out, found); err != nil {
			return err
		}
	}
	return nil
}

// cursor is where in the command line the word is that is being completed.
type cursor struct {
	c         console
	node      *kong.Node // the command so far
	flags     map[string]*kong.Flag
	waiting   *kong.Flag // a flag whose value comes now
	arguments int        // words that are neither commands nor flags
	tree      treeFlags  // what was said of where the sessions are
	word      string
}

func newCursor(c console, words []string) *cursor {
	k := &cursor{c: c, node: c.model.Node, flags: map[string]*kong.Flag{}}
	k.enter(c.model.Node)
	last := len(words) - 1
	for _, word := range words[:last] {
		k.step(word)
	}
	k.word = words[last]
	if k.waiting != nil && k.word == "=" { // bash makes words of their own of these
		k.word = ""
	}
	return k
}

func (k *cursor) enter(node *kong.Node) {
	k.node = node
	for _, flag := range node.Flags {
		k.flags["--"+flag.Name] = flag
	}
}

func (k *cursor) step(word string) {
	name, value, given := strings.Cut(word, "=")
	flag := k.flags[name]
	switch {
	case k.waiting != nil:
		if word == "=" {
			return
		}
		k.said(k.waiting, word)
		k.waiting = nil
	case flag != nil && given:
		k.said(flag, value)
	case flag != nil && !flag.IsBool():
		k.waiting = flag
	case strings.HasPrefix(word, "-"):
	default:
		for _, child := range k.node.Children {
			if child.Name == word {
				k.enter(child)
				return
			}
		}
		k.arguments++
	}
}

func (k *cursor) said(flag *kong.Flag, value string) {
	switch flag.Name {
	case "home":
		k.tree.Home = value
	case "patch":
		k.tree.Patch = append(k.tree.Patch, value)
	}
}

func (k *cursor) candidates() []string {
	var out []string
	add := func(word, help string) {
		if strings.HasPrefix(word, k.word) {
			first, _, _ := strings.Cut(help, ". ")
			out = append(out, word+"\t"+strings.TrimSuffix(plain(first), "."))
		}
	}
	switch {
	case k.waiting != nil:
		return k.values(add, &out)
	case strings.HasPrefix(k.word, "-"):
		var names []string
		for name, flag := range k.flags {
			if !flag.Hidden {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			add(name, k.flags[name].Help)
		}
	case len(k.node.Children) > 0:
		for _, child := range k.node.Children {
			if !child.Hidden {
				add(child.Name, child.Help)
			}
		}
	case len(k.node.Positional) > 0:
		k.argument(add)
	}
	return out
}

// values completes the value of a flag.
func (k *cursor) values(add func(word, help string), out *[]string) []string {
	if k.waiting.Enum != "" {
		for _, value := range k.waiting.EnumSlice() {
			add(value, "")
		}
		return *out
	}
	switch k.waiting.PlaceHolder {
	case "FILE", "PATH":
		return []string{files}
	case "DIR":
		return []string{folders}
	}
	return nil
}

// argument completes what is no flag: an id of a session, or one of a few words.
func (k *cursor) argument(add func(word, help string)) {
	last := k.node.Positional[len(k.node.Positional)-1]
	if k.arguments >= len(k.node.Positional) && !last.IsSlice() {
		return
	}
	at := k.node.Positional[min(k.arguments, len(k.node.Positional)-1)]
	for _, value := range at.EnumSlice() {
		if value != "" {
			add(value, "")
		}
	}
	if at.Name != "id" {
		return
	}
	// Who completes is not told what went wrong: the command itself will say so.
	_ = sessionFlags{treeFlags: k.tree}.with(k.c, func(s *shelf) error {
		entries, err := s.store.List(s.ctx)
		if err == nil {
			entries, err = listCommand{}.choose(entries)
		}
		for _, e := range entries {
			if id := e.Header.ID; quoted(id) == id {
				add(id, e.Title)
			}
		}
		return err
	})
}
