package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longest is how many code points of a word count: what is longer is no word of a language.
const longest = 64

// unparted are the scripts that write words without a space between them; a text in one of them is searched character by character.
var unparted = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// Word is a part of a text as it is searched for: in lower case, without accents.
type Word struct {
	Text string
	// Start and End are the code points of the text that it stands for, End exclusive.
	Start, End int
}

// Words takes a text apart. The words of a text joined by spaces have the same words.
func Words(text string) []Word {
	var s splitter
	at := 0
	for _, r := range text {
		s.at = at
		s.rune(r)
		at++
	}
	s.end()
	return s.words
}

type splitter struct {
	words  []Word
	now    strings.Builder
	runes  int // in now
	start  int // of now
	last   int // the last code point of now
	at     int // the code point that is read
	folded []byte
}

// rune folds one code point, which may give several.
func (s *splitter) rune(r rune) {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		s.add(r)
	case r >= 0x4e00 && r <= 0x9fff || unicode.Is(unicode.Hangul, r): // they are what they are: taken apart, they would be letters
		s.add(r)
	default:
		s.folded = norm.NFKD.AppendString(s.folded[:0], string(r))
		for _, part := range string(s.folded) {
			part = unicode.ToLower(part)
			switch part {
			case 'ß':
				s.add('s')
				part = 's'
			case 'ς':
				part = 'σ'
			}
			s.add(part)
		}
	}
}

func (s *splitter) add(r rune) {
	switch {
	case r >= utf8.RuneSelf && unicode.Is(unicode.M, r): // an accent: part of the letter before it
		s.last = s.at
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		s.end()
	case r >= utf8.RuneSelf && unicode.In(r, unparted...):
		s.end()
		s.words = append(s.words, Word{string(r), s.at, s.at + 1})
	default:
		if s.runes == 0 {
			s.start = s.at
		}
		if s.runes < longest {
			s.now.WriteRune(r)
		}
		s.runes++
		s.last = s.at
	}
}

// end closes the word that is being read, if there is one.
func (s *splitter) end() {
	if s.runes == 0 {
		return
	}
	s.words = append(s.words, Word{s.now.String(), s.start, s.last + 1})
	s.now.Reset()
	s.runes = 0
}

// Query is what a person asks for.
type Query struct {
	// Phrases are all to be found and all different, each being words that stand side by side. The last word of the last phrase may be the beginning of one.
	Phrases [][]string
}

// Parse takes apart what a person typed. It never fails: what is no word is left out.
func Parse(text string) Query {
	var q Query
	for _, field := range strings.Fields(text) {
		var phrase []string
		for _, word := range Words(field) {
			phrase = append(phrase, word.Text)
		}
		if len(phrase) > 0 { // said twice, it counts where it may be a beginning
			q.Phrases = slices.DeleteFunc(q.Phrases, func(other []string) bool { return slices.Equal(other, phrase) })
			q.Phrases = append(q.Phrases, phrase)
		}
	}
	return q
}

// match is a place where a phrase stands: the words from first up to end.
type match struct{ phrase, first, end int }

// matches are the places of all phrases, in order of the words.
func (q Query) matches(words []Word) []match {
	var out []match
	for at := range words {
		for i, phrase := range q.Phrases {
			if stands(phrase, words[at:], i == len(q.Phrases)-1) {
				out = append(out, match{i, at, at + len(phrase)})
			}
		}
	}
	return out
}

func stands(phrase []string, words []Word, beginning bool) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, want := range phrase {
		if words[i].Text != want && !(beginning && i == len(phrase)-1 && strings.HasPrefix(words[i].Text, want)) {
			return false
		}
	}
	return true
}
