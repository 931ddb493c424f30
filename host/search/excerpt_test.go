package search

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// show puts brackets around what is marked.
func show(e Excerpt) string {
	var out strings.Builder
	runes, at := []rune(e.Text), 0
	for _, m := range e.Marks {
		out.WriteString(string(runes[at:m.Start]) + "[" + string(runes[m.Start:m.End]) + "]")
		at = m.End
	}
	return out.String() + string(runes[at:])
}

func TestAnExcerptMarksWhatWasAskedFor(t *testing.T) {
	long := strings.Repeat("lorem ipsum ", 30)
	for name, c := range map[string]struct{ query, text, want string }{
		"words in any order": {"gate lock", "The lock has a Gate.", "The [lock] has a [Gate]."},
		"a beginning":        {"conf", "my configuration", "my [configuration]"},
		"only of the last":   {"conf my", "my configuration", "[my] configuration"},
		"a phrase":           {"foo_bar", "foo and bar, foo-bar", "foo and bar, [foo-bar]"},
		"a piece of chinese": {"索引", "全文索引很快", "全文[索引]很快"},
		"accents":            {"cafe", "Le Café", "Le [Café]"},
		"one line":           {"b", " a \n\n\tb\r\n", "a [b]"},
		"shared words":       {"a-b b-c", "a b c", "[a b c]"},
		"longer than room":   {"needle", long + "needle " + long, "…"},
	} {
		cut, found := Parse(c.query).Excerpt(c.text)
		if got := show(cut); found == 0 || got != c.want && c.want != "…" {
			t.Errorf("%s: %q", name, got)
		}
	}
	cut, _ := Parse("needle").Excerpt(long + "needle " + long)
	if !strings.HasPrefix(cut.Text, "…lorem ipsum") || !strings.HasSuffix(cut.Text, "…") || !strings.Contains(show(cut), " [needle] ") || utf8.RuneCountInString(cut.Text) < MaxExcerpt-8 {
		t.Errorf("%q", show(cut))
	}
}

func TestAnExcerptStaysInItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]rune("aAbé ́\n\t你好😀ｆ½ß_\x00\u200d"))
		text := string(rapid.SliceOfN(alphabet, 0, 600).Draw(t, "text"))
		query := string(rapid.SliceOfN(alphabet, 1, 6).Draw(t, "query"))
		checkExcerpt(t, Parse(query), text)
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkExcerpt holds an excerpt against what is promised of every one.
func checkExcerpt(t fataler, q Query, text string) {
	t.Helper()
	cut, found := q.Excerpt(text)
	if found == 0 {
		if cut.Text != "" || cut.Marks != nil {
			t.Fatalf("nothing was found, and there is an excerpt: %+v", cut)
		}
		return
	}
	length := utf8.RuneCountInString(cut.Text)
	switch {
	case length > MaxExcerpt || !utf8.ValidString(cut.Text):
		t.Fatalf("%d code points: %q", length, cut.Text)
	case found > len(q.Phrases) || len(cut.Marks) == 0:
		t.Fatalf("%d of %d phrases, %d marks in %q", found, len(q.Phrases), len(cut.Marks), cut.Text)
	case strings.ContainsFunc(cut.Text, unicode.IsControl) || strings.Contains(cut.Text, "  "):
		t.Fatalf("not one line: %q", cut.Text)
	}
	at := 0
	for _, m := range cut.Marks {
		if m.Start < at || m.End <= m.Start || m.End > length {
			t.Fatalf("the mark %+v of %q after %d", m, cut.Text, at)
		}
		if len(Words(string([]rune(cut.Text)[m.Start:m.End]))) == 0 {
			t.Fatalf("the mark %+v of %q has no word", m, cut.Text)
		}
		at = m.End
	}
}
