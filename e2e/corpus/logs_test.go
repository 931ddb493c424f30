package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/scaffold"
	"keylane/seed"
)

// A log is one session of the corpus.
type log struct {
	name string // folder and file
	id   string // the session that it became
	want expected
}

// expected is what of a log must be rows on the page.
type expected struct {
	Prompts []string // what people said, in order
	Calls   int      // tool calls that have begun or ended
	Text    int      // texts of assistant messages, without those of nothing but white space
	Events  int
}

// sow puts every log of the corpus into the scenario's store and tells what they hold.
func sow(ctx context.Context, corpus string, folders scaffold.Folders) (logs []log, err error) {
	if err := seed.CopyTree(filepath.Join(corpus, "on-disk"), folders.Sessions); err != nil {
		return nil, err
	}
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions, PackChunks: true}, clock.System())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	entries, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		logs = append(logs, log{name: "on-disk/" + entry.Header.ID, id: entry.Header.ID})
	}
	for _, folder := range []string{"projected", "enveloped"} {
		names, err := filepath.Glob(filepath.Join(corpus, folder, "*.jsonl"))
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			each := log{name: folder + "/" + filepath.Base(name), id: fmt.Sprintf("%s-%d", folder, i)}
			if err := put(ctx, store, name, each.id, folders.Workspace); err != nil {
				return nil, fmt.Errorf("%s: %w", each.name, err)
			}
			logs = append(logs, each)
		}
	}
	// A store of its own: what this one was told, it need not have written.
	disk, err := jsonl.New(jsonl.Config{Root: folders.Sessions}, clock.System())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, disk.Close(ctx)) }()
	for i := range logs {
		_, events, err := disk.Inspect(ctx, logs[i].id)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", logs[i].name, err)
		}
		if logs[i].want, err = expect(events); err != nil {
			return nil, fmt.Errorf("%s: %w", logs[i].name, err)
		}
	}
	return logs, nil
}

func put(ctx context.Context, store persistence.Store, file, id, cwd string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	header, err := seed.Session(ctx, store, text, seed.Options{SessionID: id, Cwd: cwd, AllowOpen: true})
	if err != nil {
		return err
	}
	path := store.Locate(header)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return putHeader(path, header)
	}
	return nil
}

// putHeader writes a log of nothing but a header. Our store waits for the first event before it makes a file; another program may not.
func putHeader(path string, header session.Header) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	frame, err := zstd.NewWriter(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(session.Write(frame, header, nil, session.WriteOptions{}), frame.Close(), file.Close())
}

// expect counts with the host's reading of old shapes, not with the page's.
func expect(events []session.Event) (expected, error) {
	want := expected{Events: len(events)}
	calls := map[string]bool{}
	for _, e := range events {
		message, surface, err := session.MessageOf(e)
		if err != nil {
			return want, err
		}
		if !surface || e.SurfaceOp != nil && e.SurfaceOp.Replace {
			continue
		}
		switch {
		case message.Source.Kind == session.SourceUser:
			want.Prompts = append(want.Prompts, message.Text())
		case message.Source.Kind == session.SourceTool:
			calls[message.Source.CallID] = true
		case message.Source.Kind == session.SourceModel:
			want.Text += len(slices.DeleteFunc(slices.Clone(message.Content), func(b session.Block) bool {
				return b.Type != session.BlockText || strings.TrimSpace(b.Text) == ""
			}))
		}
	}
	want.Calls = len(calls)
	return want, nil
}
