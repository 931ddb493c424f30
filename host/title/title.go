// Package title names sessions.
//
// So far there is one rule: a session is called by the first words of its first human message, until something better is known. The agent
// logs that title (source kind "fallback") right after it logged the message. Titles made by a model are a plug-in of a later day.
package title

import (
	"strings"
	"unicode/utf8"
)

// The bounds of a fallback title.
const (
	FallbackMaxWords = 5
	FallbackMaxBytes = 40 // of UTF-8
)

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
