package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
	"golang.org/x/text/width"
)

// screen is where a command writes, and what a person sees there. Only a terminal gets colours, columns that are cut to its width, times
// told from now, and progress; a pipe or a file gets plain text that programs can rely on.
type screen struct {
	io.Writer
	tty    bool
	colour bool // a terminal, and neither NO_COLOR nor TERM=dumb says otherwise
	width  int  // columns of the terminal
}

func newScreen(w io.Writer) screen {
	s := screen{Writer: w}
	file, ok := w.(*os.File)
	if !ok || !isTerminal(file) {
		return s
	}
	s.tty, s.width = true, 80
	s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" // no-color.org: set and not empty
	if size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 20 {
		s.width = int(size.Col)
	}
	return s
}

func isTerminal(file *os.File) bool {
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

// Kinds of emphasis (ECMA-48, SGR).
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	yellow = "33"
)

func (s screen) paint(kind, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + kind + "m" + text + "\x1b[0m"
}

// plain makes one line of a text that a model, a file or another program chose: what would steer the terminal, break the line or turn its
// direction is shown as U+FFFD.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case steers(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func steers(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// harmless passes text of many lines on to a terminal without what would steer it.
type harmless struct{ to io.Writer }

func (h harmless) Write(text []byte) (int, error) {
	clean := strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, string(text))
	if _, err := io.WriteString(h.to, clean); err != nil {
		return 0, err
	}
	return len(text), nil
}

// body is where text goes that nobody has looked at.
func (s screen) body() io.Writer {
	if s.tty {
		return harmless{s.Writer}
	}
	return s.Writer
}

// columns is how much room a character takes on a terminal.
func columns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fit cuts a text to a number of columns, and says with … that it did. room below 2 is taken as 2.
func fit(text string, room int) string {
	room = max(room, 2)
	used := 0
	for i, r := range text {
		if used += columns(r); used < room {
			continue
		}
		if rest := text[i+utf8.RuneLen(r):]; used > room || rest != "" {
			return text[:i] + "…"
		}
	}
	return text
}

// progress tells on a terminal how far long work is, in one line that is overwritten and removed; elsewhere it is silent.
type progress struct {
	on    screen
	shown bool
}

func (p *progress) say(format string, values ...any) {
	if p.on.tty {
		fmt.Fprintf(p.on, "\r\x1b[K%s", fit(plain(fmt.Sprintf(format, values...)), p.on.width-1))
		p.shown = true
	}
}

func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.on, "\r\x1b[K")
		p.shown = false
	}
}
