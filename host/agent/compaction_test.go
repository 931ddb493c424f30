package agent_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/agent"
	"keylane/host/compaction"
	"keylane/host/llm"
	"keylane/host/session"
)

// shortens has the world's histories shortened, with an answer of which nothing is kept beside the newest.
func (w *world) shortens(change func(*compaction.Config)) {
	w.t.Helper()
	config := compaction.Defaults()
	config.KeepPart, config.MaxSummaryTokens = 0, 100
	if change != nil {
		change(&config)
	}
	if _, err := w.manager.SetCompaction(config); err != nil {
		w.t.Fatal(err)
	}
}

// full is an answer after which the provider says how many tokens went in.
func full(words string, tokens int) reply {
	return reply{chunks: []llm.Chunk{text(words), {Type: llm.ChunkUsage, Usage: &session.Usage{InputTokens: tokens, OutputTokens: 10}}, finish(llm.FinishStop)}}
}

// longWords are worth more than the part of the small model's window for which a summary is made unasked.
var longWords = strings.Repeat("many words ", 40)

// pressed is a session whose window of 1000 tokens is full.
func (w *world) pressed() *agent.Agent {
	w.t.Helper()
	w.model.prepare(full(longWords, 900))
	a := w.create()
	w.prompt(a, "first")
	w.idle(a)
	return a
}

// shown are the texts of a request's messages.
func shown(r llm.Request) []string {
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Text())
	}
	return texts
}

func lastTurn(w *world) llm.Request {
	w.t.Helper()
	turns := w.model.askedFor(llm.PurposeTurn)
	if len(turns) == 0 {
		w.t.Fatal("nothing was asked")
	}
	return turns[len(turns)-1]
}

func wantSummarised(w *world, texts []string, rest ...string) {
	w.t.Helper()
	if len(texts) == 0 || !strings.HasSuffix(texts[0], "\n\nThe gist.") {
		w.t.Fatalf("the history does not begin with the summary: %q", texts)
	}
	if diff := cmp.Diff(rest, texts[1:]); diff != "" {
		w.t.Error(diff)
	}
}

func TestAFullWindowIsSummarisedBeforeTheNextRequest(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	a := w.pressed()
	w.model.prepareFor(llm.PurposeCompaction, reply{chunks: says("The gist.").chunks, asked: func(llm.Request) {
		if stored, all := w.store.stored(), a.Log().Len(); stored != all {
			t.Errorf("the model was asked while %d of %d events were durable", stored, all)
		}
	}})
	w.model.prepare(says("Done."))
	w.prompt(a, "second")
	w.idle(a)
	want := `step/start
user/message second
compaction/start 4 to 11
compaction/summary The gist.
user/message The conversation so far was too long to keep word for word. This summary stands for its earlier part:

The gist.
compaction/end
assistant/message Done.
step/end
turn/end completed
`
	if diff := cmp.Diff(want, tail(a, 11)); diff != "" {
		t.Error(diff)
	}
	wantSummarised(w, shown(lastTurn(w)), "second")
	quoted := w.model.askedFor(llm.PurposeCompaction)[0]
	if text := quoted.Messages[0].Text(); !strings.Contains(text, "[person]\nfirst") || !strings.Contains(text, "[agent]\nmany words") || strings.Contains(text, "second") {
		t.Errorf("the model was shown %q", text)
	}
	if got := a.Log().Projection().ContextTokens; got == 0 || got > 400 {
		t.Errorf("the context holds %d tokens", got)
	}
}

func TestASummaryThatFailsIsAWarningAndTheTurnGoesOn(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	w.retries(patience{max: 5, wait: time.Millisecond})
	a := w.pressed()
	w.model.prepareFor(llm.PurposeCompaction, fails(llm.CodeServer), reply{chunks: []llm.Chunk{finish(llm.FinishStop)}})
	w.model.prepare(calls(call(0, "c1", "bash", `{"command":"true","description":"d"}`)), says("Done."))
	w.prompt(a, "second")
	w.idle(a)
	if got := outline(a.Log().Events(0, -1)); strings.Count(got, "compaction/start") != 1 || !strings.Contains(got, "compaction/end EMPTY_RESPONSE\n") || !strings.HasSuffix(got, "turn/end completed\n") {
		t.Error(got)
	}
	if got := shown(lastTurn(w)); got[0] != "first" {
		t.Errorf("the history was changed: %q", got)
	}
	if !strings.Contains(w.said.all(), "could not be summarised") {
		t.Errorf("warned of %q", w.said.all())
	}
}

func TestStopDuringACompactionLeavesTheHistory(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	a := w.pressed()
	endless := hangs(text("The"))
	w.model.prepareFor(llm.PurposeCompaction, endless)
	w.prompt(a, "second")
	<-endless.reached
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	want := `compaction/start 4 to 11
compaction/end ABORTED
step/end
turn/end aborted user
`
	if diff := cmp.Diff(want, tail(a, 4)); diff != "" {
		t.Error(diff)
	}
	history, err := a.Log().History()
	if err != nil || len(history) != 3 {
		t.Errorf("%d messages, %v", len(history), err)
	}
}

func TestAnExceededWindowIsSummarisedAndTheStepTriedAgainOnce(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	w.model.prepare(says("Fine."), fails(llm.CodeContextWindowExceeded), says("It fits."))
	w.model.prepareFor(llm.PurposeCompaction, says("The gist."))
	a := w.create()
	w.prompt(a, "first")
	w.idle(a)
	w.prompt(a, "second")
	w.idle(a)
	wantSummarised(w, shown(lastTurn(w)), "second")
	if got := tail(a, 3); got != "assistant/message It fits.\nstep/end\nturn/end completed\n" {
		t.Error(got)
	}

	w.model.prepare(fails(llm.CodeContextWindowExceeded), fails(llm.CodeContextWindowExceeded))
	w.model.prepareFor(llm.PurposeCompaction, says("The gist."))
	w.prompt(a, "third")
	w.idle(a)
	if got := tail(a, 2); got != "step/end\nturn/end error CONTEXT_WINDOW_EXCEEDED\n" {
		t.Error(got)
	}
	if n := len(w.model.askedFor(llm.PurposeCompaction)); n != 2 {
		t.Errorf("%d summaries were asked for", n)
	}
}

func TestAnUnknownWindowIsWarnedOfOnceAndNothingIsSummarised(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	w.model.prepare(full(longWords, 100_000), says("Done."))
	a := w.create()
	if err := a.SelectModel("fake", "boundless"); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"first", "second"} {
		w.prompt(a, words)
		w.idle(a)
	}
	if n := strings.Count(w.said.all(), "context window"); n != 1 {
		t.Errorf("warned %d times: %s", n, w.said.all())
	}
	wantUnavailable(t, a.Compact(), agent.ReasonUnknownWindow)
}

func wantUnavailable(t *testing.T, err error, reason string) {
	t.Helper()
	var unavailable *agent.UnavailableError
	if !errors.As(err, &unavailable) || unavailable.Reason != reason || !errors.Is(err, agent.ErrNotCompacted) {
		t.Errorf("%v, want it unavailable because of %s", err, reason)
	}
}

func TestACompactionThatIsAskedForRunsBetweenTurns(t *testing.T) {
	w := newWorld(t)
	a := w.create()
	wantUnavailable(t, a.Compact(), agent.ReasonDisabled)
	w.shortens(nil)
	wantUnavailable(t, a.Compact(), agent.ReasonNothing)
	w.model.prepare(says("Fine."), says("Done."))
	w.model.prepareFor(llm.PurposeCompaction, says("The gist."))
	w.prompt(a, "first")
	w.idle(a)
	if err := a.Compact(); err != nil {
		t.Fatal(err)
	}
	w.idle(a)
	if got := outline(a.Log().Events(0, -1)); !strings.HasSuffix(got, "turn/end completed\ncompaction/start 4 to 4\ncompaction/summary The gist.\nuser/message The conversation so far was too long to keep word for word. This summary stands for its earlier part:\n\nThe gist.\ncompaction/end\n") {
		t.Error(got)
	}
	for _, e := range a.Log().Events(0, -1) {
		if e.Type == session.TypeCompactionEnd && data[session.CompactionEnd](e).Turn != nil {
			t.Errorf("it is between turns: %s", e.Data)
		}
	}
	wantUnavailable(t, a.Compact(), agent.ReasonNothing) // a summary is not summarised by itself
	w.prompt(a, "second")
	w.idle(a)
	wantSummarised(w, shown(lastTurn(w)), "Fine.", "second")
}

func TestACompactionThatIsAskedForInATurnRunsAtItsNextStep(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	var a *agent.Agent
	w.model.prepare(says("Fine."), reply{
		chunks: calls(call(0, "c1", "bash", `{"command":"true","description":"d"}`)).chunks,
		gate: func() {
			if err := a.Compact(); err != nil {
				t.Error(err)
			}
		},
	}, says("Done."))
	w.model.prepareFor(llm.PurposeCompaction, says("The gist."))
	a = w.create()
	for _, words := range []string{"first", "second"} {
		w.prompt(a, words)
		w.idle(a)
	}
	request := lastTurn(w)
	wantSummarised(w, shown(request), "", "")
	open := map[string]int{}
	for _, m := range request.Messages {
		for _, b := range m.Content {
			switch b.Type {
			case session.BlockToolCall:
				open[b.ID]++
			case session.BlockToolResult:
				open[b.ToolCallID]--
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"c1": 0}, open); diff != "" {
		t.Errorf("a call is parted from its result: %s", diff)
	}
}

func TestACompactionThatACrashCutIsClosedWhenTheSessionIsOpened(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	a := w.pressed()
	endless := hangs(text("The"))
	w.model.prepareFor(llm.PurposeCompaction, endless)
	w.prompt(a, "second")
	<-endless.reached
	// What is durable now is what a crash leaves: the store refuses everything after.
	w.store.broken.Store(true)
	if err := w.stop(); err == nil {
		t.Fatal("the host closed as if all was stored")
	}
	w.boot(0)
	w.shortens(nil)
	w.model.prepareFor(llm.PurposeCompaction, says("The gist."))
	w.model.prepare(says("Done."))
	again, err := w.manager.Open(t.Context(), a.Log().ID())
	if err != nil {
		t.Fatal(err)
	}
	want := `compaction/start 4 to 11
compaction/end INTERRUPTED
step/end
turn/end interrupted
session/end-seed
`
	if diff := cmp.Diff(want, tail(again, 5)); diff != "" {
		t.Error(diff)
	}
	w.prompt(again, "third")
	w.idle(again)
	wantSummarised(w, shown(lastTurn(w)), "third")
}

func TestWithoutDurabilityNoSummaryIsAskedFor(t *testing.T) {
	w := newWorld(t)
	w.shortens(nil)
	a := w.pressed()
	dispose := a.Log().Observe(func(e session.Event) {
		if e.Type == session.TypeCompactionStart {
			w.store.broken.Store(true)
		}
	})
	defer dispose()
	// The driver may come to the compaction before the prompt's own flush is over.
	if err := a.Prompt(t.Context(), user("second")); err != nil && !errors.Is(err, errDiskFull) {
		t.Fatal(err)
	}
	if err := a.WhenIdle(t.Context()); !errors.Is(err, errDiskFull) {
		t.Errorf("%v", err)
	}
	if n := len(w.model.askedFor(llm.PurposeCompaction)); n != 0 {
		t.Errorf("%d summaries were asked for", n)
	}
	if got := tail(a, 3); got != "compaction/end PERSISTENCE\nstep/end\nturn/end error PERSISTENCE\n" {
		t.Error(got)
	}
	w.store.broken.Store(false)
}
