package prompt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"keylane/host/session"
)

// The order of the host's own sources in a conversation.
const (
	RankInstructions = 100
	RankSkills       = 200
	RankRuntime      = 300
)

// Source says one kind of context.
type Source struct {
	// Kind is the source.kind of its messages, one of a kind among all sources; never session.SourceUser.
	Kind string
	// Rank orders what is said at the same moment; the lower comes first.
	Rank int
	// Text says what holds now, without a frame; "" when there is nothing to say. It is called before every request of every session, so it
	// is quick and bounded, and it does not fail: what could not be read it says in its text. Safe for concurrent use.
	Text func(ctx context.Context, f Facts) string
	// Gone is said, once, when there was something to say and there no longer is.
	Gone string
}

// Note is a context message that is due.
type Note struct{ Kind, Text string }

// Add lets the writer ask a source, until dispose. A kind that is taken, empty or a person's is an error.
func (w *Writer) Add(s Source) (dispose func(), err error) {
	if s.Kind == "" || s.Kind == session.SourceUser || s.Kind == session.SourceTool || s.Kind == session.SourceModel {
		return nil, fmt.Errorf("prompt: adding a source of context: %q is no kind for one", s.Kind)
	}
	added := &s
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.sources, func(other *Source) bool { return other.Kind == s.Kind }) {
		return nil, fmt.Errorf("prompt: adding a source of context: there is one of the kind %q already", s.Kind)
	}
	w.sources = append(w.sources, added)
	slices.SortStableFunc(w.sources, func(a, b *Source) int { return cmp.Compare(a.Rank, b.Rank) })
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sources = slices.DeleteFunc(w.sources, func(other *Source) bool { return other == added })
	}, nil
}

// Due lists, in order, what has to be said to a model that has the history and does not know it yet. What the history has, it knows,
// whichever run of the host said it; what was compacted away it does not, and is told again. Logging the notes makes nothing due.
func (w *Writer) Due(ctx context.Context, f Facts, history []session.Message) []Note {
	w.mu.Lock()
	sources := slices.Clone(w.sources)
	w.mu.Unlock()
	var due []Note
	for _, s := range sources {
		said, known := lastOf(history, s.Kind)
		text := s.Text(ctx, f)
		switch {
		case text != "":
			text = Reminder(text)
		case known:
			text = Reminder(s.Gone)
		default:
			continue
		}
		if said != text {
			due = append(due, Note{s.Kind, text})
		}
	}
	return due
}

// lastOf is the last message of a kind that the history has.
func lastOf(history []session.Message, kind string) (text string, known bool) {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Source.Kind == kind {
			return history[i].Text(), true
		}
	}
	return "", false
}

// The frame of a context message.
const (
	frameBegin = "<system-reminder>\n"
	frameEnd   = "\n\nThis comes from keylane, not from the person; do not answer it.\n</system-reminder>"
)

// FrameBytes is how much longer Reminder makes a text in which it has nothing to defuse.
const FrameBytes = len(frameBegin) + len(frameEnd)

// Reminder frames a text as what it is: background, and nobody's turn to speak. A text cannot end its own frame or begin another.
func Reminder(text string) string { return frameBegin + Defuse(text) + frameEnd }

// tags of the frame, and what stands for them inside of one. The replacement of a tag has no tag in it, so that defusing twice is defusing
// once, and is no longer, so that a bound on the text bounds the result.
var defused = strings.NewReplacer("<system-reminder", "[system-reminder", "</system-reminder", "[/system-reminder")

// Defuse takes from a text what would be read as the frame of a context message.
func Defuse(text string) string { return defused.Replace(text) }
