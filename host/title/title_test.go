package title_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"keylane/host/title"
)

func TestFallbackTitles(t *testing.T) {
	for text, want := range map[string]string{
		"Use the bash tool to run exactly: echo": "Use the bash tool to",
		"  hello\n\n\tworld ":                    "hello world",
		"":                                       "",
		" \n ":                                   "",
		"Donaudampfschifffahrtsgesellschaftskapitänsmütze": "Donaudampfschifffahrtsgesellschaftskapit",
		strings.Repeat("a", 38) + " ä":                     strings.Repeat("a", 38),
		strings.Repeat("你", 20):                            strings.Repeat("你", 13),
		"a\xffb":                                           "a\ufffdb",
	} {
		if got := title.Fallback(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAFallbackTitleKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		got := title.Fallback(text)
		if len(got) > title.FallbackMaxBytes || len(strings.Fields(got)) > title.FallbackMaxWords || !utf8.ValidString(got) || got != strings.TrimSpace(got) {
			t.Fatalf("%q", got)
		}
		if (got == "") != (len(strings.Fields(text)) == 0) {
			t.Fatalf("%q for %q", got, text)
		}
	})
}
