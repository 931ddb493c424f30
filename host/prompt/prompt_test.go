package prompt_test

import (
	"testing"

	"keylane/host/prompt"
)

func TestAPersonaIsFilledWithTheFacts(t *testing.T) {
	w := prompt.New("  I am {{model}} in {{cwd}}, {{cwd}}.\n")
	if got := w.System(prompt.Facts{Cwd: "/w", Model: "M"}); got != "I am M in /w, /w." {
		t.Error(got)
	}
	// What a fact says is text, not a template.
	if got := w.System(prompt.Facts{Cwd: "{{model}}", Model: "M"}); got != "I am M in {{model}}, {{model}}." {
		t.Error(got)
	}
}

func TestAPlaceholderNobodyFillsIsRefused(t *testing.T) {
	for persona, want := range map[string]bool{"": true, "{{cwd}} {{model}}": true, "{{date}}": false, "{{": false} {
		if err := (prompt.Config{Persona: persona}).Validate(); (err == nil) != want {
			t.Errorf("%q: %v", persona, err)
		}
	}
}
