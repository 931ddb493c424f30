package recorded_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"keylane/host/clock"
	"keylane/host/llm"
	"keylane/host/llm/recorded"
	"keylane/host/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// immediate is a clock whose timers are due at once, and which adds up what was waited.
type immediate struct {
	clock.Clock
	waits []time.Duration
}

func (i *immediate) After(d time.Duration) (<-chan time.Time, func()) {
	i.waits = append(i.waits, d)
	due := make(chan time.Time, 1)
	due <- time.Time{}
	return due, func() {}
}

func newDemo(t *testing.T) (llm.Adapter, *immediate) {
	t.Helper()
	clk := &immediate{Clock: clock.System()}
	demo, err := recorded.NewDemo(clk)
	if err != nil {
		t.Fatal(err)
	}
	return demo, clk
}

func user(text string) session.Message {
	return session.Message{Role: "user", Content: []session.Block{{Type: "text", Text: text}}, Source: session.Source{Kind: "user"}}
}

func play(t *testing.T, demo llm.Adapter, history []session.Message) session.Message {
	t.Helper()
	stream, err := demo.Stream(t.Context(), llm.Request{Provider: "demo", Purpose: llm.PurposeTurn, Messages: history})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var assembler llm.Assembler
	var deltas llm.Assembler // without the block-ends: what the person sees stream in
	for {
		chunk, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = assembler.Add(chunk)
		}
		if err == nil && chunk.Type != llm.ChunkBlockEnd {
			err = deltas.Add(chunk)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(assembler.Blocks(), deltas.Blocks()); diff != "" {
		t.Errorf("the deltas do not add up to the blocks: %s", diff)
	}
	return assembler.Message("m", "demo", "demo")
}

func TestTheBundledDemoIsAValidLogOfTheStore(t *testing.T) {
	data, err := os.ReadFile("demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	header, events, err := session.Read(bytes.NewReader(data), session.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := header.Validate(); err != nil {
		t.Error(err)
	}
	if err := session.Validate(events); err != nil {
		t.Error(err)
	}
	if closers := session.Repair(header, events); closers != nil {
		t.Errorf("it ends in the middle of something: %v", closers)
	}
	if projection := session.Project(header, events); projection.Turns != 3 {
		t.Errorf("%+v", projection)
	}
}

func TestTheDemoShowsReasoningAToolATableAndCode(t *testing.T) {
	demo, clk := newDemo(t)
	info := demo.Info()
	if !info.Demo || !info.Ready || info.ID != "demo" || len(info.Prompts) != 3 {
		t.Fatalf("%+v", info)
	}
	var history []session.Message
	var text strings.Builder
	for _, prompt := range info.Prompts {
		history = append(history, user(prompt))
		for {
			message := play(t, demo, history)
			history = append(history, message)
			text.WriteString(message.Text())
			last := message.Content[len(message.Content)-1]
			if message.Content[0].Type != "reasoning" {
				t.Errorf("%q is answered without reasoning", prompt)
			}
			if last.Type != "tool-call" {
				break
			}
			if last.Name != "bash" || !strings.HasSuffix(last.ID, "-2") {
				t.Errorf("%+v", last)
			}
			history = append(history, session.Message{Role: "user", Source: session.Source{Kind: "tool", CallID: last.ID}})
		}
	}
	for _, words := range []string{"| --- |", "```go\n", "```sh\n", "**keylane**", "recording"} {
		if !strings.Contains(text.String(), words) {
			t.Errorf("the demo does not say %q", words)
		}
	}
	for _, wait := range clk.waits {
		if wait > recorded.DemoChunkDelay {
			t.Fatalf("a chunk waits %s", wait)
		}
	}
	if len(clk.waits) < 100 {
		t.Errorf("it does not stream: %d waits", len(clk.waits))
	}
}

func TestAnyOtherPromptGetsTheTurnOfItsNumber(t *testing.T) {
	demo, _ := newDemo(t)
	first := play(t, demo, []session.Message{user(demo.Info().Prompts[0])})
	third := play(t, demo, []session.Message{user(demo.Info().Prompts[2])})
	history := []session.Message{user("a")}
	for _, want := range []session.Message{first, {}, third, first} {
		got := play(t, demo, history)
		if want.Role != "" {
			if diff := cmp.Diff(want.Content, got.Content); diff != "" {
				t.Error(diff)
			}
		}
		history = append(history, got, user("b"))
	}
}

func TestTheDemoAnswersPromptsOnly(t *testing.T) {
	demo, _ := newDemo(t)
	if _, err := demo.Stream(t.Context(), llm.Request{Purpose: llm.PurposeTitle, Messages: []session.Message{user("a")}}); err == nil {
		t.Error("it made up a title")
	}
	if _, err := demo.Stream(t.Context(), llm.Request{Purpose: llm.PurposeTurn}); err == nil {
		t.Error("it answered nobody")
	}
}

func TestAPausedStreamEndsWithCloseAndWithItsContext(t *testing.T) {
	chunks := []llm.Chunk{{Type: llm.ChunkTextDelta, Text: "a"}}
	wait := func(int) time.Duration { return time.Hour }
	for name, end := range map[string]func(llm.Stream, func()){
		"close":   func(s llm.Stream, _ func()) { _ = s.Close() },
		"context": func(_ llm.Stream, cancel func()) { cancel() },
	} {
		ctx, cancel := contextOf(t)
		clk := clock.NewManual(time.Unix(0, 0), 1)
		stream := recorded.Play(ctx, clk, chunks, wait)
		ended := make(chan error, 1)
		go func() {
			_, err := stream.Next()
			ended <- err
		}()
		end(stream, cancel)
		if err := <-ended; err == nil {
			t.Errorf("%s: a chunk came", name)
		}
		cancel()
		if clk.Timers() != 0 {
			t.Errorf("%s: a timer is left", name)
		}
	}
}
