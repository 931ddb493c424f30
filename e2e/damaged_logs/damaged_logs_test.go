// Package damaged_logs_test boots on a store in which files are spoiled in every way a person's disk has shown: none stops the boot or the
// list, what can be read is shown with the place where it ends and the command that repairs it, and the rest says why it cannot. No model
// is asked.
package damaged_logs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

// conversation is the region that the goldens hold.
var conversation = chromium.Role("main", "Conversation")

const (
	sound   = "session-sound"
	middle  = "session-middle"  // a frame in the middle does not have its checksum
	newer   = "session-newer"   // the header is of a later version
	garbage = "session-garbage" // nothing in it is a frame
	torn    = "session-torn"    // the last append was cut off
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// spoil fills the store and spoils what is in it; frame is the one that is damaged in the middle of a log.
func spoil(folders scaffold.Folders, frame int) (err error) {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions, PackChunks: true}, clock.System())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	for i, id := range []string{sound, middle, newer, garbage, torn} {
		history := seed.History{SessionID: id, Cwd: folders.Workspace, Turns: 3, Chunks: 6, LastActivity: at.Add(time.Duration(i) * time.Hour)}
		header, err := seed.Generate(ctx, store, history)
		if err != nil {
			return err
		}
		if err := change(store.Locate(header), id, frame); err != nil {
			return err
		}
	}
	return nil
}

func change(path, id string, frame int) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch id {
	case middle:
		content[frameStart(content, frame+1)-1] ^= 0xff // the last byte of the frame's checksum
	case newer:
		plain := []byte(`{"type":"session","version":9,"id":"` + id + `"}` + "\n")
		return os.WriteFile(path, rawFrame(plain), 0o600)
	case garbage:
		content = []byte("this was a session once")
	case torn:
		content = content[:len(content)-20]
	}
	return os.WriteFile(path, content, 0o600)
}

// frameStart is where frame n begins, the header's being 0.
func frameStart(content []byte, n int) int {
	magic := "\x28\xb5\x2f\xfd"
	at := 0
	for range n {
		at += 4 + strings.Index(string(content[at+4:]), magic)
	}
	return at
}

// rawFrame is text as an uncompressed Zstandard frame (RFC 8878): single segment, one raw block.
func rawFrame(text []byte) []byte {
	size := len(text)
	block := size<<3 | 1
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, byte(size), byte(block), byte(block >> 8), byte(block >> 16)}
	return append(frame, text...)
}

func TestSpoiledFilesStopNothing(t *testing.T) { scaffold.Run(t, scenario(2)) }

// TestDamageElsewhereWouldBeSeen spoils the turn before: what the page then shows is not what was pinned.
func TestDamageElsewhereWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, scenario(1)) })
	if all := strings.Join(failures, "\n"); !strings.Contains(all, `does not say "Prompt 1:"`) || !strings.Contains(all, "differs from what was captured") {
		t.Errorf("seen was only:\n%s", all)
	}
}

func scenario(frame int) scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "damaged_logs",
		Prepare: func(folders scaffold.Folders) error { return spoil(folders, frame) },
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.WaitFor(chromium.Role("tree", "Sessions"))
			if rows := strings.Count(s.Text("[role=tree]"), "Unreadable session"); rows != 2 {
				s.Errorf("%d rows say that they cannot be read, want 2:\n%s", rows, s.Text("[role=tree]"))
			}
			s.Open("/s/" + middle)
			s.WaitFor(chromium.Role("button", "Copy command"))
			shown := s.Text("main")
			for _, want := range []string{"Prompt 1:", "The rest of this session cannot be read", "keylane sessions repair " + middle} {
				if !strings.Contains(shown, want) {
					s.Errorf("the page does not say %q:\n%s", want, shown)
				}
			}
			if strings.Contains(shown, "Prompt 2:") {
				s.Errorf("something of the damaged part is shown:\n%s", shown)
			}
			s.Golden("middle", conversation)
			s.Reload()
			s.WaitFor(chromium.Role("button", "Copy command"))
			s.Golden("middle", conversation)

			s.Open("/s/" + newer)
			s.WaitFor(chromium.Role("button", "Try again"))
			if shown := s.Text("main"); !strings.Contains(shown, "upgrade keylane") {
				s.Errorf("a newer log is not told from a damaged one:\n%s", shown)
			}
			s.Open("/s/" + garbage)
			s.WaitFor(chromium.Role("button", "Try again"))
			if shown := s.Text("main"); !strings.Contains(shown, "This conversation could not be loaded") || !strings.Contains(shown, "session.jsonl.zstd") {
				s.Errorf("a file that is no log does not say which it is, and why:\n%s", shown)
			}
			s.Open("/s/" + torn)
			s.WaitFor(chromium.Role("textbox", "Message the agent"))
			if shown := s.Text("main"); !strings.Contains(shown, "Prompt 2:") || strings.Contains(shown, "cannot be read") {
				s.Errorf("a torn end is shown as damage:\n%s", shown)
			}
		},
		Check: func(s *scaffold.Stage) { wantRepairable(s) },
	}
}

// wantRepairable repairs the log that the page showed, with the host still running, and finds the copy.
func wantRepairable(s *scaffold.Stage) {
	s.Helper()
	store, err := jsonl.New(jsonl.Config{Root: s.Folders.Sessions, PackChunks: true}, clock.System())
	if err != nil {
		s.Fatalf("%v", err)
	}
	defer func() {
		if err := store.Close(s.Context); err != nil {
			s.Errorf("%v", err)
		}
	}()
	done, err := store.Repair(s.Context, middle)
	if err != nil {
		s.Fatalf("%v", err)
	}
	if _, err := os.Stat(done.Backup); err != nil || filepath.Dir(done.Backup) != filepath.Dir(done.Damage.Path) {
		s.Errorf("the copy: %v", err)
	}
	_, events, err := store.Inspect(s.Context, middle)
	if err != nil || len(events) > 0 && events[len(events)-1].Type != session.TypeTurnEnd {
		s.Errorf("%d events, %v", len(events), err)
	}
}
