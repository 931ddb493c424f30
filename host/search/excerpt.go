package search

import (
	"strings"
	"unicode"
)

const (
	before = 24 // code points of an excerpt before what was found
	shift  = 10 // how far its beginning is moved to begin with a word
	dots   = '…'
)

// Excerpt is a piece of a text on one line, with what was found in it.
type Excerpt struct {
	Text  string // at most MaxExcerpt code points
	Marks []Mark // ascending, without overlap; at least one
}

// Excerpt cuts a piece out of a text, around the first of the phrases that it has; found is how many of them it has, and without any there is
// no excerpt.
func (q Query) Excerpt(text string) (cut Excerpt, found int) {
	words := Words(text)
	matches := q.matches(words)
	if len(matches) == 0 {
		return Excerpt{}, 0
	}
	had := make([]bool, len(q.Phrases))
	for _, m := range matches {
		if !had[m.phrase] {
			had[m.phrase] = true
			found++
		}
	}
	runes := []rune(text)
	first := words[matches[0].first].Start
	l := line{from: beginning(runes, first)}
	l.write(runes)
	for _, m := range matches {
		l.mark(words[m.first].Start, words[m.end-1].End)
	}
	return Excerpt{string(l.out), l.marks}, found
}

// beginning is where an excerpt begins that shows the code point first: some way before it, at a word when one begins nearby.
func beginning(runes []rune, first int) int {
	from := first - before
	if from <= 0 {
		return 0
	}
	for i := from; i < from+shift; i++ {
		if unicode.IsSpace(runes[i-1]) && !unicode.IsSpace(runes[i]) {
			return i
		}
	}
	return from
}

// line is an excerpt that is being written.
type line struct {
	from  int // code point of the text that it begins with
	out   []rune
	place []int // by code point of the text from from on: how long out was before it
	marks []Mark
}

// write copies what there is room for; white space of any length becomes one space, and so does what controls a terminal.
func (l *line) write(runes []rune) {
	if l.from > 0 {
		l.out = append(l.out, dots)
	}
	text := runes[l.from:]
	end := len(text)
	for end > 0 && blank(text[end-1]) {
		end--
	}
	spaced := true // at the beginning no space is needed
	for i, r := range text[:end] {
		l.place = append(l.place, len(l.out))
		if blank(r) {
			if spaced {
				continue
			}
			r = ' '
		}
		if len(l.out) == MaxExcerpt-1 && i < end-1 { // the last place is for the dots, unless nothing else comes
			l.out = []rune(strings.TrimRight(string(l.out), " "))
			l.out = append(l.out, dots)
			return
		}
		spaced = r == ' '
		l.out = append(l.out, r)
	}
	l.place = append(l.place, len(l.out))
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// mark marks what the excerpt has of the code points from start up to end of the text.
func (l *line) mark(start, end int) {
	if start < l.from || start-l.from >= len(l.place) {
		return
	}
	m := Mark{l.place[start-l.from], len(l.out)}
	if end-l.from < len(l.place) {
		m.End = l.place[end-l.from]
	} else {
		m.End-- // the dots
	}
	if m.End > 0 && m.End <= len(l.out) && m.End > m.Start && l.out[m.End-1] == ' ' {
		m.End--
	}
	if m.Start >= m.End {
		return
	}
	if i := len(l.marks) - 1; i >= 0 && m.Start < l.marks[i].End { // phrases may share words
		l.marks[i].End = max(l.marks[i].End, m.End)
		return
	}
	l.marks = append(l.marks, m)
}
