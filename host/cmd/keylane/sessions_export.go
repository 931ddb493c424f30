package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"keylane/host/persistence"
	"keylane/host/session"
)

type exportCommand struct {
	sessionFlags
	ID     string `arg:"" optional:"" help:"The session's id; leave it out with --all."`
	All    bool   `help:"Every session, one file each, into the folder that --to names."`
	Format string `help:"jsonl is the log as JSON lines; markdown is a transcript." enum:"jsonl,markdown" default:"jsonl"`
	To     string `help:"File to write, with --all the folder. Default: standard output." placeholder:"PATH"`
	Force  bool   `help:"Replace what is there."`
}

// Help is what kong shows below the flags.
func (exportCommand) Help() string {
	return `JSON lines are the whole log: a header line, then one event a line, with nothing left out. It is yours, and holds prompts, output of tools and what a provider said; look before you share it. A transcript holds what was said, the calls of tools and what they printed.

Of a damaged log everything before the damage is exported, with a warning and exit code 1. Nothing is overwritten without --force, and a file appears whole or not at all. --json tells what was written; it needs --to.

Examples:

    keylane sessions export ID > session.jsonl
    keylane sessions export ID --format markdown --to transcript.md
    keylane sessions export --all --to backup/

` + exitCodes
}

// Validate is called by kong: what it refuses is a misuse.
func (e exportCommand) Validate() error {
	switch {
	case e.All == (e.ID != ""):
		return errors.New("want the id of a session, or --all")
	case e.All && e.To == "":
		return errors.New("--all needs --to FOLDER")
	case e.JSON && e.To == "":
		return errors.New("--json needs --to: standard output is the session itself")
	}
	return nil
}

// exported is what export prints as JSON.
type exported struct {
	Exported []exportedView `json:"exported"`
	Failed   []failedView   `json:"failed"`
}

type exportedView struct {
	ID      string       `json:"id"`
	Path    string       `json:"path"`
	Events  int64        `json:"events"`
	Problem *problemView `json:"problem,omitempty"` // the log is damaged: what is before the damage was exported
}

type failedView struct {
	ID      string      `json:"id"`
	Problem problemView `json:"problem"`
}

func (e exportCommand) Run(c console) error {
	return e.with(c, func(s *shelf) error {
		switch {
		case e.All:
			return e.every(s)
		case e.To != "":
			return e.one(s)
		}
		line := progress{on: s.err}
		if s.out.tty {
			line = progress{} // the session itself is there to be seen
		}
		page, err := e.write(s, e.ID, s.out.body(), &line)
		if err != nil {
			return s.explain(e.ID, err)
		}
		return s.broken(e.ID, page)
	})
}

func (e exportCommand) one(s *shelf) error {
	page, err := e.file(s, e.ID, e.To, &progress{on: s.err})
	if err != nil {
		return s.explain(e.ID, err)
	}
	done := exportedView{ID: e.ID, Path: e.To, Events: page.Stored}
	if page.Damage != nil {
		done.Problem = s.viewProblem(e.ID, page.Damage)
	}
	if e.JSON {
		if err := s.json(exported{[]exportedView{done}, []failedView{}}); err != nil {
			return err
		}
	} else if _, err := fmt.Fprintf(s.out, "%s of session %s in %s\n", count(page.Stored, "event"), plain(e.ID), plain(e.To)); err != nil {
		return err
	}
	return s.broken(e.ID, page)
}

func (e exportCommand) every(s *shelf) error {
	entries, err := s.store.List(s.ctx)
	if err != nil {
		return s.explain("", err)
	}
	if err := os.MkdirAll(e.To, 0o700); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	out := exported{[]exportedView{}, []failedView{}}
	line := progress{on: s.err}
	defer line.end()
	wrong := 0
	for i, entry := range entries {
		id := entry.Header.ID
		line.say("exporting %d of %d: %s", i+1, len(entries), id)
		path := filepath.Join(e.To, e.fileName(id))
		page, err := persistence.Page{}, placed(entry)
		if err == nil || stateOf(err) == stateDamaged {
			page, err = e.file(s, id, path, &progress{})
		}
		if errors.Is(err, context.Canceled) {
			return e.interrupted(s, len(out.Exported), len(entries), err)
		}
		if err != nil {
			wrong++
			line.end()
			p := s.explain(id, err)
			fmt.Fprintln(s.err, "keylane:", plain(p.text))
			out.Failed = append(out.Failed, failedView{id, *s.viewProblem(id, err)})
			continue
		}
		done := exportedView{ID: id, Path: path, Events: page.Stored}
		if page.Damage != nil {
			wrong++
			line.end()
			done.Problem = s.viewProblem(id, page.Damage)
			fmt.Fprintf(s.err, "keylane: only what is before the damage was exported: %s\n", plain(done.Problem.Message))
		}
		out.Exported = append(out.Exported, done)
	}
	line.end()
	if e.JSON {
		err = s.json(out)
	} else {
		_, err = fmt.Fprintf(s.out, "%s in %s\n", count(int64(len(out.Exported)), "session"), plain(e.To))
	}
	if err == nil && wrong > 0 {
		fmt.Fprintf(s.err, "keylane: %s not or not whole.\nNext: %s\n", count(int64(wrong), "session"), s.command("list", "--damaged"))
		return exitWith(exitFailed)
	}
	return err
}

// interrupted tells how far the export of every session came: the files that are there are whole.
func (e exportCommand) interrupted(s *shelf, done, of int, err error) *problem {
	again := []string{"export", "--all", "--to", e.To, "--force"}
	if e.Format == "markdown" {
		again = append(again, "--format", e.Format)
	}
	return &problem{exit: exitInterrupted, text: fmt.Sprintf("interrupted; %d of %s are in %s", done, count(int64(of), "session"), e.To),
		next: s.command(again...) + " starts over", err: err}
}

// fileName is the file of a session below the folder of --all; different ids have different names, and none leads elsewhere.
func (e exportCommand) fileName(id string) string {
	name := url.QueryEscape(id)
	if e.Format == "markdown" {
		return name + ".md"
	}
	return name + ".jsonl"
}

// write puts a session out in the asked format, and says how far it is.
func (e exportCommand) write(s *shelf, id string, to io.Writer, line *progress) (persistence.Page, error) {
	line.say("reading session %s …", id)
	defer line.end()
	out := bufio.NewWriter(to)
	first, err := s.store.Page(s.ctx, id, 0, 1) // no events, but what they amount to
	if err != nil {
		return persistence.Page{}, err
	}
	var page persistence.Page
	if e.Format == "markdown" {
		t := transcript{to: out}
		t.head(first.Header, first.Projection)
		if page, err = walk(s.ctx, s.store, id, line.counting(first.Stored, t.take)); err == nil && page.Damage != nil {
			t.say("\n*The rest of this session cannot be read: it is damaged from row %d on.*\n", page.Damage.Row)
			err = t.err
		}
	} else {
		if err := session.Write(out, first.Header, nil, session.WriteOptions{}); err != nil {
			return persistence.Page{}, err
		}
		page, err = walk(s.ctx, s.store, id, line.counting(first.Stored, func(events []session.Event) error {
			rows, err := session.AppendRows(nil, events, session.WriteOptions{})
			if err == nil {
				_, err = out.Write(rows)
			}
			return err
		}))
	}
	if err != nil {
		return persistence.Page{}, err
	}
	return page, out.Flush()
}

// file writes a session into a file that appears whole or not at all: it is written aside and then takes its name, which was reserved
// first unless it may be replaced.
func (e exportCommand) file(s *shelf, id, path string, line *progress) (page persistence.Page, err error) {
	if !e.Force {
		reserved, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return persistence.Page{}, &problem{exit: exitFailed, text: path + " is there already and was left alone", next: "another --to, or --force to replace it", err: err}
		}
		if err != nil {
			return persistence.Page{}, &problem{exit: exitFailed, text: fmt.Sprintf("writing the export: %v", err), err: err}
		}
		if err := reserved.Close(); err != nil {
			return persistence.Page{}, err
		}
	}
	aside, err := os.CreateTemp(filepath.Dir(path), ".keylane-export-*")
	if err == nil {
		page, err = e.write(s, id, aside, line)
		err = errors.Join(err, aside.Close())
		if err == nil {
			err = os.Rename(aside.Name(), path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(aside.Name()))
		}
	}
	if err != nil && !e.Force {
		err = errors.Join(err, os.Remove(path))
	}
	return page, err
}
