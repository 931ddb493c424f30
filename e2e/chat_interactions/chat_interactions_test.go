// Package chat_interactions_test uses a long conversation: its rows stand in the order of its log, rows that stand side by side open each by
// itself, what is copied is what was said, and a branch has the conversation up to the end of a turn and goes on without touching the one it
// came from. The history is that of chat_scroll, 88 generated turns.
package chat_interactions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	sessionID = "session-long"
	turns     = 88
	page      = 24
	forked    = 80 // the turn at whose end it is branched; the one after it must not come along
	followUp  = "Go on from here."
)

func put(folders scaffold.Folders) (err error) {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions, PackChunks: true}, clock.System())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	_, err = seed.Generate(ctx, store, seed.History{SessionID: sessionID, Cwd: folders.Workspace, Turns: turns, Rich: true, LastActivity: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	return err
}

// opened shows the long conversation and does something with it.
func opened(drive func(*scaffold.Stage, *scaffold.Voice)) scaffold.Scenario {
	s := scaffold.Scenario{Name: "chat_interactions", Prepare: put}
	voice := s.Voiced()
	s.Drive = func(stage *scaffold.Stage) {
		stage.Open("/s/" + sessionID)
		drive(stage, voice)
	}
	return s
}

// rowSaying is the row of a kind that says text.
func rowSaying(s *scaffold.Stage, kind, text string) chromium.Query {
	s.Helper()
	key := evaluate[string](s, fmt.Sprintf(`[...document.querySelectorAll("main [data-row-kind=%s]")].find((row) => row.textContent.includes(%q))?.dataset.rowKey ?? ""`, kind, text))
	if key == "" {
		s.Fatalf("no row of the kind %s says %q", kind, text)
	}
	return chromium.CSS(fmt.Sprintf("main [data-row-key=%q]", key))
}

func expanded(s *scaffold.Stage, call string) string {
	s.Helper()
	return evaluate[string](s, fmt.Sprintf(`[...document.querySelectorAll("main [aria-expanded]")].find((button) => button.textContent.includes(%q)).getAttribute("aria-expanded")`, call))
}

// order compares the rows on the page with what the log tells of each turn.
func order(s *scaffold.Stage, _ *scaffold.Voice) {
	var want []string
	for turn := turns - page + 1; turn <= turns; turn++ {
		want = append(want, fmt.Sprintf("user Prompt %d:", turn))
		if turn%8 == 0 {
			want = append(want, fmt.Sprintf("tool First of %d", turn), fmt.Sprintf("tool Second of %d", turn))
		}
		want = append(want, fmt.Sprintf("text Answer %d", turn))
	}
	got := evaluate[[]string](s, `[...document.querySelectorAll("main [data-row-kind]")].map((row) => row.dataset.rowKind + " " + /(Prompt \d+:|(First|Second) of \d+|Answer \d+)/.exec(row.textContent)?.[0])`)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("the rows stand in another order than their events (-want +got):\n%s", diff)
	}
}

// disclosures opens and closes two calls of one step.
func disclosures(s *scaffold.Stage, _ *scaffold.Voice) {
	const first, second = "First of 88", "Second of 88"
	want := func(when, a, b string) {
		s.Helper()
		s.Settle()
		if gotA, gotB := expanded(s, first), expanded(s, second); gotA != a || gotB != b {
			s.Errorf("%s: the first is expanded %s and the second %s, want %s and %s", when, gotA, gotB, a, b)
		}
	}
	want("at first", "false", "false")
	s.Click(chromium.RoleContaining("button", second))
	want("the second opened", "false", "true")
	if shown := s.Text("main"); strings.Contains(shown, first+", line 1") || !strings.Contains(shown, second+", line 12") {
		s.Errorf("what is shown is not the second call's output alone")
	}
	s.Click(chromium.RoleContaining("button", first))
	want("both opened", "true", "true")
	s.Click(chromium.RoleContaining("button", second))
	want("the second closed again", "true", "false")
}

// copies holds the clipboard to the log, to the byte.
func copies(s *scaffold.Stage, _ *scaffold.Voice) {
	said := map[string]string{}
	fence := ""
	for _, event := range stored(s, sessionID) {
		message, ok, err := session.MessageOf(event)
		do(s, err)
		if !ok {
			continue
		}
		if text := message.Text(); strings.HasPrefix(text, "Prompt 88:") {
			said["user"] = text
		} else if strings.HasPrefix(text, "Answer 88 ") {
			said["text"] = text
			_, rest, _ := strings.Cut(text, "```ts\n")
			fence, _, _ = strings.Cut(rest, "\n```")
		}
	}
	for kind, words := range map[string]string{"user": "Prompt 88:", "text": "Answer 88 "} {
		wantCopied(s, chromium.Role("button", "Copy message").Within(rowSaying(s, kind, words)), said[kind])
	}
	wantCopied(s, chromium.Role("button", "Copy code").Within(rowSaying(s, "text", "Answer 88 ")), fence)
}

func wantCopied(s *scaffold.Stage, button chromium.Query, want string) {
	s.Helper()
	s.Click(button)
	s.Settle()
	got, err := s.Page.ReadClipboard(s.Context)
	do(s, err)
	if got != want || want == "" {
		s.Errorf("copied %q, want %q", got, want)
	}
}

// forks branches at the end of turn 80 and goes on there.
func forks(s *scaffold.Stage, voice *scaffold.Voice) {
	before := file(s, sessionID)
	events := stored(s, sessionID)
	end := int64(-1)
	for _, event := range events {
		var data struct{ Turn int }
		do(s, json.Unmarshal(event.Data, &data))
		if event.Type == session.TypeTurnEnd && data.Turn == forked {
			end = event.Seq
		}
	}
	s.Click(chromium.Role("button", "Branch into a new conversation").Within(rowSaying(s, "text", fmt.Sprintf("Answer %d ", forked))))
	do(s, s.Page.WaitGone(s.Context, chromium.CSS(`[data-session="`+sessionID+`"]`)))
	s.Settle()
	child := s.SessionID()
	got := s.Events()
	inherited := got[:min(end+1, int64(len(got)))]
	if diff := cmp.Diff(texts(events[:end+1]), texts(inherited)); diff != "" {
		s.Errorf("the branch begins otherwise than the conversation it came from (-parent +child):\n%s", diff)
	}
	for _, event := range got[len(inherited):] {
		if event.Type != session.TypeEndSeed { // that what it began with ends here
			s.Errorf("the branch has a %s behind the end of turn %d", event.Type, forked)
			break
		}
	}
	if shown := s.Text("main"); strings.Contains(shown, fmt.Sprintf("Prompt %d:", forked+1)) || !strings.Contains(shown, fmt.Sprintf("Prompt %d:", forked)) {
		s.Errorf("the branch shows what came after turn %d, or not what came before", forked)
	}

	s.Send(followUp)
	voice.Say(s, "Only here. ")
	voice.End(s)
	s.Settle()
	wantLast(s, followUp, forked+1)
	s.WantDurable()
	if after := file(s, sessionID); !bytes.Equal(before, after) {
		s.Errorf("the conversation that was branched has changed, from %d bytes to %d", len(before), len(after))
	}
	s.Click(chromium.CSS(`nav a[href="/s/` + sessionID + `"]`))
	s.WaitFor(chromium.CSS(`[data-session="` + sessionID + `"]`))
	s.Settle()
	if shown := s.Text("main"); strings.Contains(shown, followUp) || !strings.Contains(shown, "Prompt 88:") {
		s.Errorf("the conversation that was branched shows what was said in %s", child)
	}
}

// wantLast checks that the open session has so many prompts, of which text is the last.
func wantLast(s *scaffold.Stage, text string, count int) {
	s.Helper()
	var prompts []string
	for _, event := range s.Events() {
		message, ok, err := session.MessageOf(event)
		do(s, err)
		if ok && message.Source.Kind == session.SourceUser {
			prompts = append(prompts, message.Text())
		}
	}
	if len(prompts) != count || prompts[count-1] != text {
		s.Errorf("the branch has %d prompts, the last of which is %q", len(prompts), prompts[len(prompts)-1])
	}
}

func texts(events []session.Event) []string {
	lines := make([]string, len(events))
	for i, event := range events {
		lines[i] = fmt.Sprintf("%d %s %s", event.Seq, event.Type, event.Data)
	}
	return lines
}

// stored reads a session from disk, with a store of its own.
func stored(s *scaffold.Stage, id string) []session.Event {
	s.Helper()
	store, err := jsonl.New(jsonl.Config{Root: s.Folders.Sessions}, clock.System())
	do(s, err)
	_, events, err := store.Inspect(s.Context, id)
	do(s, errors.Join(err, store.Close(s.Context)))
	return events
}

// file is what lies on disk of a session.
func file(s *scaffold.Stage, id string) []byte {
	s.Helper()
	files, err := filepath.Glob(filepath.Join(s.Folders.Sessions, "*", id, "session.jsonl.zstd"))
	if err != nil || len(files) != 1 {
		s.Fatalf("the files of %s: %v, %v", id, files, err)
	}
	content, err := os.ReadFile(files[0])
	do(s, err)
	return content
}

func do(s *scaffold.Stage, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
	}
}

func evaluate[T any](s *scaffold.Stage, expression string) T {
	s.Helper()
	value, err := chromium.Eval[T](s.Context, s.Page, expression)
	do(s, err)
	return value
}

func TestALongConversationIsUsed(t *testing.T) {
	for _, c := range []struct {
		name  string
		drive func(*scaffold.Stage, *scaffold.Voice)
	}{
		{"its rows stand in the order of its log", order},
		{"adjacent disclosures are independent", disclosures},
		{"what is copied is what was said", copies},
		{"a branch ends with its turn and goes on by itself", forks},
	} {
		t.Run(c.name, func(t *testing.T) { scaffold.Run(t, opened(c.drive)) })
	}
}
