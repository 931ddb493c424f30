package skill

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Bounds of what a skill says about itself, in characters.
const (
	maxName        = 64
	maxDescription = 1024
)

// The line that begins and ends a front matter.
const fence = "---"

// front is what a front matter says; other keys are other hosts' business.
type front struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
}

// parse takes the text of a skill apart: YAML between two lines of ---, then the body, without blank lines around it. Whole is false for the
// beginning of a longer text, in which the front matter must end all the same.
func parse(text string, whole bool) (front, string, error) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != fence {
		return front{}, "", errors.New("it does not begin with a front matter: a line of ---, name and description, a line of ---")
	}
	matter, body, found := cutFence(rest)
	if !found {
		if !whole {
			return front{}, "", fmt.Errorf("its front matter is longer than %d bytes", len(text))
		}
		return front{}, "", errors.New("its front matter does not end: the second line of --- is missing")
	}
	var f front
	if err := decode(matter, &f); err != nil {
		return front{}, "", fmt.Errorf("its front matter cannot be read: %w", err)
	}
	f.Name = strings.TrimSpace(f.Name)
	f.Description = oneLine(f.Description)
	if f.Description == "" {
		return front{}, "", errors.New("its front matter has no description")
	}
	if runes := []rune(f.Description); len(runes) > maxDescription {
		f.Description = string(runes[:maxDescription-1]) + "…"
	}
	return f, strings.TrimSpace(body), nil
}

// cutFence cuts text at its first line of ---.
func cutFence(text string) (before, after string, found bool) {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		next := min(at+len(line)+1, len(text))
		if strings.TrimRight(line, " \t\r") == fence {
			return text[:at], text[next:], true
		}
		at = next
	}
	return "", "", false
}

// decode keeps a mistake of the parser from becoming the host's end.
func decode(matter string, f *front) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("yaml: %v", cause)
		}
	}()
	if err := yaml.Unmarshal([]byte(matter), f); err != nil {
		var types *yaml.TypeError
		if errors.As(err, &types) {
			return errors.New("yaml: " + strings.Join(types.Errors, "; "))
		}
		return err
	}
	return nil
}

// oneLine makes one line of text that a model is shown in a list.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// checkName refuses what could not be written in a list, a path and a command alike.
func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > maxName {
		return fmt.Errorf("its name has %d characters; it may have 1 to %d", n, maxName)
	}
	if bad := strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:", r)
	}); bad >= 0 {
		r, _ := utf8.DecodeRuneInString(name[bad:])
		return fmt.Errorf("its name holds %q; a name is made of letters, digits and any of -_.:, nothing else", r)
	}
	return nil
}
