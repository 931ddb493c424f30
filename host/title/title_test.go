package title_test

import (
	"errors"
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

func TestWhatAPersonTypesIsATitleOrRefused(t *testing.T) {
	for text, want := range map[string]string{
		" Fix  the\n build ":    "Fix the build",
		"a\x00b\u200bc\u202e":   "abc",
		"你好":                    "你好",
		"":                      "",
		" \t\u200b":             "",
		strings.Repeat("你", 27): "",
		strings.Repeat("x", 80): strings.Repeat("x", 80),
	} {
		got, err := title.Normalise(text)
		if got != want || (err != nil) != (want == "") || err != nil && !errors.Is(err, title.ErrInvalid) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestWhatAModelAnswersIsMadeATitle(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the build":                   "Fix the build",
		"\n\n\"Fix the build.\"\nBecause": "Fix the build",
		"**Learning C#**":                 "Learning C#",
		"# 修复构建。":                         "修复构建",
		"「修复」":                            "修复",
		"...":                             "",
		strings.Repeat("word ", 30):       strings.TrimSpace(strings.Repeat("word ", 16)),
	} {
		if got := title.FromModel(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestATitleIsGivenAgainAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[#*"'. a-z“”。\n]{0,120}`)).Draw(t, "text")
		got := title.FromModel(text)
		if again := title.FromModel(got); again != got {
			t.Fatalf("%q becomes %q", got, again)
		}
		if len(got) > title.MaxBytes || strings.ContainsAny(got, "\n\r") || !utf8.ValidString(got) {
			t.Fatalf("%q", got)
		}
		if kept, err := title.Normalise(text); err == nil {
			if again, err := title.Normalise(kept); err != nil || again != kept {
				t.Fatalf("%q becomes %q, %v", kept, again, err)
			}
		}
	})
}

func TestOnlyOneModelNamesSessions(t *testing.T) {
	n := title.NewNamer(false)
	if n.Fallback("words") != "" {
		t.Error("a fallback that is switched off names")
	}
	dispose, err := n.SetModel(title.DefaultModel())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.SetModel(title.DefaultModel()); err == nil {
		t.Error("a second model was taken")
	}
	dispose()
	dispose()
	if _, ok := n.Model(); ok {
		t.Error("the model stayed")
	}
	bad := title.DefaultModel()
	bad.MaxOutputTokens = 0
	if _, err := n.SetModel(bad); err == nil || !strings.Contains(err.Error(), "maxOutputTokens") {
		t.Errorf("%v", err)
	}
}
