// Package title names sessions.
//
// A session is called by the first words of its first human message ([Fallback]), which the agent logs right behind it. Where a model is
// mounted for it ([Namer.SetModel]), the agent asks that model once, beside the first turn, with [Model.Request], and logs what [FromModel]
// makes of the answer. A person's own title ([Normalise]) stays: no model overrides it.
package title

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a fallback title.
const (
	FallbackMaxWords = 5
	FallbackMaxBytes = 40 // of UTF-8
)

// MaxBytes bounds a title that a model or a person gave, in UTF-8.
const MaxBytes = 80

// ErrInvalid says that a text is no title.
var ErrInvalid = errors.New("this is no title")

// Fallback is the title a session gets from the text of its first human message: its first words, at most FallbackMaxWords, one space
// between them, cut to FallbackMaxBytes without splitting a character. A text without words gives "": then there is no title.
// Text that is not valid UTF-8 is made valid first.
func Fallback(text string) string {
	words := make([]string, 0, FallbackMaxWords)
	for word := range strings.FieldsSeq(strings.ToValidUTF8(text, string(utf8.RuneError))) {
		words = append(words, word)
		if len(words) == FallbackMaxWords {
			break
		}
	}
	return cut(strings.Join(words, " "), FallbackMaxBytes)
}

// Normalise is a person's title as it is kept: on one line, one space between words, without characters that cannot be seen. A text that
// is empty then, or longer than MaxBytes, is ErrInvalid: nobody's words are cut without their knowing.
func Normalise(text string) (string, error) {
	name := oneLine(text)
	switch {
	case name == "":
		return "", fmt.Errorf("title: %w: it is empty", ErrInvalid)
	case len(name) > MaxBytes:
		return "", fmt.Errorf("title: %w: it has %d bytes, at most %d fit", ErrInvalid, len(name), MaxBytes)
	}
	return name, nil
}

// FromModel is a model's answer as a title: its first line that says something, without the quotes, the heading marks and the full stop that
// models put around one, cut to MaxBytes. "" when nothing is left. What it gives it gives again.
func FromModel(text string) string {
	for line := range strings.Lines(text) {
		name := oneLine(line)
		for {
			bare := strings.TrimSpace(strings.TrimRight(strings.Trim(strings.TrimLeft(name, "#"), "\"'`“”‘’«»「」『』*"), ".。"))
			if bare == name {
				break
			}
			name = bare
		}
		for len(name) > MaxBytes {
			name = FromModel(cut(name, MaxBytes))
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// oneLine leaves out what cannot be seen and joins the words.
func oneLine(text string) string {
	seen := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
	return strings.Join(strings.Fields(seen), " ")
}

// cut shortens text to at most limit bytes, at the border of a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.TrimRight(text[:limit], " ")
}
