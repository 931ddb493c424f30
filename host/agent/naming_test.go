package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/session"
	"keylane/host/title"
)

// named has a model name sessions.
func (w *world) named() {
	w.t.Helper()
	if _, err := w.titles.SetModel(title.DefaultModel()); err != nil {
		w.t.Fatal(err)
	}
}

// titlesOf are the titles that a log has, with who gave them.
func titlesOf(events []session.Event) []string {
	var titles []string
	for _, e := range events {
		if e.Type == session.TypeTitle {
			d := data[session.Title](e)
			titles = append(titles, d.Source.Kind+" "+d.Title)
		}
	}
	return titles
}

func (w *world) wantTitles(events []session.Event, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, titlesOf(events)); diff != "" {
		w.t.Error(diff)
	}
}

func TestAModelNamesASessionOnceBesideItsFirstRequest(t *testing.T) {
	w := newWorld(t)
	w.named()
	w.model.prepareFor(llm.PurposeTitle, reply{
		chunks: []llm.Chunk{text("\n# \"A  fine name.\"\nand more"), finish(llm.FinishStop)},
		asked: func(r llm.Request) {
			if last := w.store.stored(); last == 0 {
				t.Error("the model was asked before the request was durable")
			}
		},
	})
	w.model.prepare(says("Hello."), says("Again."))
	a := w.create()
	w.prompt(a, "Say hello to everybody in here")
	w.idle(a)
	w.prompt(a, "more")
	w.idle(a)
	w.wantTitles(a.Log().Events(0, -1), "fallback Say hello to everybody in", "provider A fine name")
	asked := w.model.askedFor(llm.PurposeTitle)
	if len(asked) != 1 {
		t.Fatalf("the model was asked for a title %d times", len(asked))
	}
	request := asked[0]
	if request.MaxTokens != 64 || len(request.Tools) != 0 || request.Model != "small" || !strings.Contains(request.Messages[0].Text(), "Say hello to everybody in here") {
		t.Errorf("%+v", request)
	}
	for _, e := range a.Log().Events(0, -1) {
		if e.Type != session.TypeTitleRequest {
			continue
		}
		logged := data[session.TitleRequest](e)
		if logged.System != request.System || logged.Prompt != request.Messages[0].Text() || logged.MaxTokens != request.MaxTokens {
			t.Errorf("the log says that the model was asked %+v", logged)
		}
	}
	if w.said.all() != "" {
		t.Errorf("warned of %s", w.said.all())
	}
}

func TestATitleThatFailsIsAWarningAndTheFallbackStays(t *testing.T) {
	for name, answer := range map[string]reply{
		"a failure":      fails(llm.CodeServer),
		"an empty title": says(" \" . \" "),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.named()
			w.model.prepareFor(llm.PurposeTitle, answer)
			w.model.prepare(says("Hello."))
			a := w.create()
			w.prompt(a, "Say hello")
			w.idle(a)
			w.wantTitles(a.Log().Events(0, -1), "fallback Say hello")
			if !strings.Contains(w.said.all(), "got no title") || strings.Contains(w.said.all(), "the provider is down") {
				t.Errorf("warned of %q", w.said.all())
			}
		})
	}
}

func TestATitleIsNotWaitedForByTheTurnButByWhoeverWaitsForIdle(t *testing.T) {
	w := newWorld(t)
	w.named()
	release := make(chan struct{})
	w.model.prepareFor(llm.PurposeTitle, reply{chunks: says("Late").chunks, gate: func() { <-release }})
	w.model.prepare(says("Hello."))
	a := w.create()
	w.prompt(a, "Say hello")
	await(t, a, session.TypeTurnEnd)
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := a.WhenIdle(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("idle while a title is asked for: %v", err)
	}
	close(release)
	w.idle(a)
	w.wantTitles(a.Log().Events(0, -1), "fallback Say hello", "provider Late")
}

// await waits until the log holds an event of a type.
func await(t *testing.T, a interface{ Log() *session.Log }, typ string) {
	t.Helper()
	came := make(chan struct{}, 1)
	dispose := a.Log().Observe(func(e session.Event) {
		if e.Type == typ {
			select {
			case came <- struct{}{}:
			default:
			}
		}
	})
	defer dispose()
	for _, e := range a.Log().Events(0, -1) {
		if e.Type == typ {
			return
		}
	}
	select {
	case <-came:
	case <-t.Context().Done():
		t.Fatalf("no %s came", typ)
	}
}

func TestAPersonsTitleStays(t *testing.T) {
	w := newWorld(t)
	w.named()
	release := make(chan struct{})
	w.model.prepareFor(llm.PurposeTitle, reply{chunks: says("The model's").chunks, gate: func() { <-release }})
	w.model.prepare(says("Hello."))
	a := w.create()
	w.prompt(a, "Say hello")
	await(t, a, session.TypeTitleRequest)
	kept, err := a.Rename(t.Context(), "  Mine,\n and  mine alone ")
	if err != nil || kept != "Mine, and mine alone" {
		t.Fatalf("%q, %v", kept, err)
	}
	if w.store.stored() == 0 {
		t.Error("the title is not durable")
	}
	close(release)
	w.idle(a)
	w.wantTitles(a.Log().Events(0, -1), "fallback Say hello", "user Mine, and mine alone")
	for _, text := range []string{"", " \n\u200b", strings.Repeat("x", title.MaxBytes+1)} {
		if _, err := a.Rename(t.Context(), text); !errors.Is(err, title.ErrInvalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := a.Log().Projection(); got.Title != "Mine, and mine alone" || got.TitleSource.Kind != session.TitleUser {
		t.Errorf("%+v", got.TitleSource)
	}
}

func TestAHostThatClosesEndsTheCallForATitle(t *testing.T) {
	w := newWorld(t)
	w.named()
	endless := hangs(text("An endless"))
	w.model.prepareFor(llm.PurposeTitle, endless)
	w.model.prepare(says("Hello."))
	a := w.create()
	w.prompt(a, "Say hello")
	<-endless.reached
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.wantTitles(a.Log().Events(0, -1), "fallback Say hello")
	if w.said.all() != "" {
		t.Errorf("the end of the host is no news, but: %s", w.said.all())
	}
}

func TestAResumedSessionIsNotNamedAgain(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(says("Hello."))
	a := w.create()
	w.prompt(a, "Say hello")
	w.idle(a)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.boot(0)
	w.named()
	w.model.prepare(says("Again."))
	again, err := w.manager.Open(t.Context(), a.Log().ID())
	if err != nil {
		t.Fatal(err)
	}
	w.prompt(again, "once more")
	w.idle(again)
	if asked := w.model.askedFor(llm.PurposeTitle); len(asked) != 0 {
		t.Errorf("asked for a title %d times", len(asked))
	}
}

// A log without a title, which another program wrote or a person made, is named after its first message, however old that is.
func TestALogWithoutATitleIsNamedAfterItsFirstMessage(t *testing.T) {
	w := newWorld(t)
	header := session.Header{ID: "s", CreatedAt: 1, Cwd: w.cwd}
	log, err := session.NewLog(header, nil, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	message := func(source, words string) session.Message {
		return session.Message{ID: "m" + words, Role: session.RoleUser, Source: session.Source{Kind: source}, Content: []session.Block{{Type: session.BlockText, Text: words}}}
	}
	for range 300 { // the message is far from the log's beginning
		if _, err := log.Append("x/odd", map[string]any{}, session.WithIgnorable()); err != nil {
			t.Fatal(err)
		}
	}
	var first session.Event
	for _, m := range []session.Message{message(session.SourcePlugin, "Instructions"), message(session.SourceUser, " \n "), message(session.SourceUser, "The first words of it all"), message(session.SourceUser, "Others")} {
		e, err := log.Append(session.TypeUserMessage, m, session.WithSurfaceAppend())
		if err != nil {
			t.Fatal(err)
		}
		if m.Text() == "The first words of it all" {
			first = e
		}
	}
	if err := errors.Join(w.store.Create(t.Context(), header), w.store.Append(t.Context(), "s", log.Events(0, -1)), w.store.Release(t.Context(), "s")); err != nil {
		t.Fatal(err)
	}
	w.model.prepare(says("Well."))
	a, err := w.manager.Open(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	w.prompt(a, "Go on.")
	w.idle(a)
	events := a.Log().Events(0, -1)
	w.wantTitles(events, "fallback The first words of it")
	for _, e := range events {
		if e.Type == session.TypeTitle {
			if diff := cmp.Diff([]int64{first.Seq}, data[session.Title](e).MessageSeqs); diff != "" {
				t.Error(diff)
			}
		}
	}
}
