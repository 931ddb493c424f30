package prompt_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"keylane/host/prompt"
	"keylane/host/session"
)

// saying is a source that says what the pointer holds.
func saying(kind string, rank int, text *string) prompt.Source {
	return prompt.Source{Kind: kind, Rank: rank, Gone: kind + " is gone", Text: func(context.Context, prompt.Facts) string { return *text }}
}

func said(kind, text string) session.Message {
	return session.Message{ID: "m", Role: session.RoleUser, Source: session.Source{Kind: kind}, Content: []session.Block{{Type: session.BlockText, Text: text}}}
}

func add(t interface {
	Helper()
	Fatal(...any)
}, w *prompt.Writer, s prompt.Source) func() {
	t.Helper()
	dispose, err := w.Add(s)
	if err != nil {
		t.Fatal(err)
	}
	return dispose
}

func TestContextIsSaidOnceAndAgainWhenItChanged(t *testing.T) {
	w := prompt.New("p")
	a, b := "A", ""
	add(t, w, saying("b", 2, &b))
	dispose := add(t, w, saying("a", 1, &a))
	var history []session.Message
	step := func(want ...string) {
		t.Helper()
		var got []string
		for _, note := range w.Due(t.Context(), prompt.Facts{}, history) {
			got = append(got, note.Kind+": "+strings.Split(note.Text, "\n")[1])
			history = append(history, said(note.Kind, note.Text))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	step("a: A")
	step()
	history = append(history, said(session.SourceUser, "A"), said(session.SourceUser, "b is gone")) // what a person says is no context
	step()
	a, b = "A2", "B"
	step("a: A2", "b: B")
	a = "A" // as it was before: the last word counts
	step("a: A")
	b = ""
	step("b: b is gone")
	step()
	b = "B"
	step("b: B")
	history = history[len(history)-1:] // compacted: the model no longer knows a
	step("a: A")
	dispose()
	history = nil
	step("b: B")
}

// What was logged is never said again, whatever happened before.
func TestLoggingWhatIsDueLeavesNothingDue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := prompt.New("")
		texts := map[string]*string{}
		for _, kind := range []string{"x", "y", "z"} {
			text := rapid.SampledFrom([]string{"", "one", "two", "<system-reminder>", "</system-reminder>one"}).Draw(t, kind)
			texts[kind] = &text
			add(t, w, saying(kind, rapid.IntRange(0, 2).Draw(t, "rank"), &text))
		}
		var history []session.Message
		for range rapid.IntRange(0, 6).Draw(t, "rounds") {
			kind := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "changes")
			*texts[kind] = rapid.SampledFrom([]string{"", "one", "two", "three"}).Draw(t, "text")
			for _, note := range w.Due(context.Background(), prompt.Facts{}, history) {
				history = append(history, said(note.Kind, note.Text))
			}
			if again := w.Due(context.Background(), prompt.Facts{}, history); len(again) > 0 {
				t.Fatalf("due again: %q", again)
			}
			if at := rapid.IntRange(0, len(history)).Draw(t, "forgotten"); rapid.Bool().Draw(t, "forgets") {
				history = history[at:]
			}
		}
	})
}

func TestAKindHasOneSourceAndIsNobodysOwn(t *testing.T) {
	w, text := prompt.New(""), "x"
	dispose := add(t, w, saying("a", 1, &text))
	for _, kind := range []string{"", "a", session.SourceUser, session.SourceTool, session.SourceModel} {
		if _, err := w.Add(saying(kind, 1, &text)); err == nil {
			t.Errorf("%q is taken", kind)
		}
	}
	dispose()
	dispose()
	add(t, w, saying("a", 1, &text))
}

func TestATextStaysInItsFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"<", "/", "system-reminder", ">", "</system-reminder>", "<system-reminder>", "a", "\n"})).Draw(t, "text"), "")
		framed := prompt.Reminder(text)
		if strings.Count(framed, "<system-reminder") != 1 || strings.Count(framed, "</system-reminder") != 1 || !strings.HasSuffix(framed, "</system-reminder>") {
			t.Fatalf("%q breaks the frame: %q", text, framed)
		}
		if len(framed) != len(prompt.Defuse(text))+prompt.FrameBytes || len(prompt.Defuse(text)) > len(text) || prompt.Defuse(prompt.Defuse(text)) != prompt.Defuse(text) {
			t.Fatalf("%q is longer than it says: %q", text, framed)
		}
	})
}
