package skill

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestASkillIsTakenApart(t *testing.T) {
	for text, want := range map[string][3]string{
		"---\nname: a\ndescription: Does it.\n---\n\nBody\n":                               {"a", "Does it.", "Body"},
		"--- \r\ndescription: >\n  Two\n  lines\n---\n":                                    {"", "Two lines", ""},
		"---\ndescription: 'x: y'\nlicense: MIT\nmetadata: {a: [1]}\n---\n---\nstill body": {"", "x: y", "---\nstill body"},
		"---\nname: 7\ndescription: true\n---":                                             {"7", "true", ""},
	} {
		f, body, err := parse(text, true)
		if got := [3]string{f.Name, f.Description, body}; got != want || err != nil {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}

func TestWhatIsWrongWithASkillIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "it does not begin with a front matter",
		"# Title\n":                         "it does not begin with a front matter",
		"---\nname: a\n":                    "the second line of --- is missing",
		"---\nname: a\n---\n":               "its front matter has no description",
		"---\ndescription: '  '\n---\n":     "its front matter has no description",
		"---\ndescription: [a]\n---\n":      "its front matter cannot be read: yaml: line 1: cannot unmarshal",
		"---\ndescription: a: b\n---\n":     "its front matter cannot be read: yaml:",
		"---\nname: a\nname: b\n---\n":      "already defined",
		"---\njust words\n---\n":            "its front matter cannot be read",
		"---\ndescription: &a [*a]\n---\n":  "its front matter cannot be read",
		"---\n\tdescription: tabbed\n---\n": "its front matter cannot be read",
	} {
		if _, _, err := parse(text, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, _, err := parse("---\nname: a\n", false); err == nil || !strings.Contains(err.Error(), "is longer than 12 bytes") {
		t.Error(err)
	}
}

func TestALongDescriptionIsCut(t *testing.T) {
	f, _, err := parse("---\ndescription: "+strings.Repeat("é", 2000)+"\n---\n", true)
	if n := utf8.RuneCountInString(f.Description); err != nil || n != maxDescription || !strings.HasSuffix(f.Description, "é…") {
		t.Errorf("%d %v", n, err)
	}
}

func TestOnlyNamesThatCanBeWrittenAnywhereAreNames(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "code-review_2.0": true, "team:review": true, "评审": true, "": false, "a b": false, "a/b": false, "a\n": false,
		strings.Repeat("x", 64): true, strings.Repeat("x", 65): false} {
		if err := checkName(name); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Whatever a front matter says, once it is written as YAML it is read back.
func TestAFrontMatterSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringMatching(`[a-z:#'"{}\[\]&*!|>%@-]{1,12}( [a-z:#'"é文]{1,8}){0,4}`).Draw(t, "description")
		body := rapid.StringMatching(`([a-z -]{0,9}\n){0,4}`).Draw(t, "body")
		text := "---\ndescription: '" + strings.ReplaceAll(words, "'", "''") + "'\n---\n" + body
		f, got, err := parse(text, true)
		if err != nil || f.Description != words || got != strings.TrimSpace(body) {
			t.Fatalf("%q: %q %q %v", text, f.Description, got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\n---\nbody", true)
	f.Add("---\ndescription: &a [*a, *a]\n---\n", true)
	f.Add("---\r\n\r\n---", false)
	f.Fuzz(func(t *testing.T, text string, whole bool) {
		said, body, err := parse(text, whole)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		switch {
		case !strings.Contains(text, body):
			t.Errorf("the body %q is not in the text", body)
		case said.Description == "" || utf8.RuneCountInString(said.Description) > maxDescription || strings.ContainsAny(said.Description, "\n\r\t"):
			t.Errorf("description %q", said.Description)
		case !utf8.ValidString(said.Description):
			t.Errorf("the description is not UTF-8: %q", said.Description)
		}
	})
}
