package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func texts(words []Word) string {
	var out []string
	for _, w := range words {
		out = append(out, w.Text)
	}
	return strings.Join(out, "|")
}

func TestWordsAreFolded(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World":           "hello|world",
		"Ünïcödé straße ΣΊΣΥΦΟΣ": "unicode|strasse|σισυφοσ",
		"e\u0301tat":             "etat",
		"foo_bar-baz.go:12":      "foo|bar|baz|go|12",
		"ｆｕｌｌ　ｗｉｄｔｈ":             "full|width",
		"用sqlite做索引":             "用|sqlite|做|索|引",
		"ひらがなガ":                  "ひ|ら|か|な|カ",
		"안녕":                     "안|녕",
		"𠀀𠀁":                     "𠀀|𠀁",
		"½ ﬁne":                  "1|2|fine",
		"!?— \x00 ":              "",
		strings.Repeat("a", 90):  strings.Repeat("a", longest),
	} {
		if got := texts(Words(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestAWordStandsForItsPlaceInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		runes := []rune(text)
		last := 0
		for _, w := range Words(text) {
			if w.Start >= w.End || w.End > len(runes) || w.Start < last-1 || !utf8.ValidString(w.Text) || w.Text == "" {
				t.Fatalf("%+v in %d code points, after %d", w, len(runes), last)
			}
			last = w.End
			// What a word is made of is found by asking for what it stands for.
			if own := Words(string(runes[w.Start:w.End])); !slices.ContainsFunc(own, func(o Word) bool { return o.Text == w.Text }) {
				t.Fatalf("%q alone is %s", w.Text, texts(own))
			}
		}
	})
}

func TestWordsOfWordsAreThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := Words(rapid.String().Draw(t, "text"))
		once := strings.ReplaceAll(texts(words), "|", " ")
		if twice := strings.ReplaceAll(texts(Words(once)), "|", " "); twice != once {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}

func TestAQueryIsPhrases(t *testing.T) {
	q := Parse("  strass Foo-bar 索引 !!! straß ")
	want := [][]string{{"foo", "bar"}, {"索", "引"}, {"strass"}}
	if !slices.EqualFunc(q.Phrases, want, slices.Equal[[]string]) {
		t.Errorf("%q", q.Phrases)
	}
	if len(Parse("—!?").Phrases) != 0 {
		t.Error("a query without a word has phrases")
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "foo bar", `"a" OR b*`, "用 sqlite", "NEAR(a b)", "^a : {x}", "\x00\xff", "e\u0301 ½"} {
		f.Add(seed, "the text "+seed+" has it")
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		q := Parse(query)
		for _, phrase := range q.Phrases {
			for _, word := range phrase {
				if word == "" || strings.ContainsAny(word, "\"*^:(){} \t\n") || !utf8.ValidString(word) {
					t.Fatalf("the word %q of %q", word, query)
				}
			}
		}
		checkExcerpt(t, q, text)
	})
}
