package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"keylane/host/persistence"
)

type deleteCommand struct {
	sessionFlags
	IDs []string `arg:"" name:"id" help:"The sessions' ids, as list prints them."`
	Yes bool     `help:"Do not ask. Needed where there is no terminal to ask on."`
}

// Help is what kong shows below the flags.
func (deleteCommand) Help() string {
	return `Removes the logs for good, with the copies that repairs kept of them. On a terminal it asks first. A session that another process has open is refused.

Examples:

    keylane sessions delete ID
    keylane sessions export ID --to ID.jsonl && keylane sessions delete ID --yes

` + exitCodes
}

// deleted is what delete prints as JSON.
type deleted struct {
	Deleted []string     `json:"deleted"`
	Failed  []failedView `json:"failed"`
}

func (d deleteCommand) Run(c console) error {
	return d.with(c, func(s *shelf) error {
		if !d.Yes {
			agreed, err := d.ask(s)
			if err != nil || !agreed {
				return err
			}
		}
		out := deleted{[]string{}, []failedView{}}
		var first *problem
		for _, id := range d.IDs {
			err := s.store.Delete(s.ctx, id)
			if err == nil {
				out.Deleted = append(out.Deleted, id)
				continue
			}
			if errors.Is(err, context.Canceled) {
				return d.interrupted(s, out.Deleted, err)
			}
			p := s.explain(id, err)
			out.Failed = append(out.Failed, failedView{id, *s.viewProblem(id, err)})
			if first == nil {
				first = p
				continue
			}
			fmt.Fprintln(s.err, "keylane:", plain(p.text))
		}
		err := d.tell(s, out)
		if err == nil && first != nil {
			return first
		}
		return err
	})
}

// interrupted tells which sessions are gone; the others are as they were.
func (d deleteCommand) interrupted(s *shelf, done []string, err error) *problem {
	if len(done) == 0 {
		return interrupted(err)
	}
	return &problem{exit: exitInterrupted, text: "interrupted; deleted were " + strings.Join(done, ", "), next: s.command("list") + " shows what is left", err: err}
}

func (d deleteCommand) tell(s *shelf, out deleted) error {
	if d.JSON {
		return s.json(out)
	}
	for _, id := range out.Deleted {
		if _, err := fmt.Fprintf(s.out, "Deleted %s\n", plain(id)); err != nil {
			return err
		}
	}
	return nil
}

// ask has the person decide. Without a terminal there is nobody to ask.
func (d deleteCommand) ask(s *shelf) (bool, error) {
	in, ok := s.c.in.(*os.File)
	if !ok || !isTerminal(in) || !s.err.tty {
		return false, misuse("delete asks first, and there is no terminal to ask on: say --yes")
	}
	entries, err := s.store.List(s.ctx)
	if err != nil {
		return false, s.explain("", err)
	}
	known := map[string]persistence.Entry{}
	for _, e := range entries {
		known[e.Header.ID] = e
	}
	for _, id := range d.IDs {
		e, there := known[id]
		if !there {
			return false, s.explain(id, persistence.ErrNotFound)
		}
		title := plain(e.Title)
		if title == "" {
			title = "Untitled session"
		}
		fmt.Fprintf(s.err, "%s\n  %s, %s, %s bytes\n", s.err.paint(bold, title), plain(id), s.when(lastActivity(e)), grouped(e.Size))
	}
	fmt.Fprintf(s.err, "Delete %s for good? [y/N] ", count(int64(len(d.IDs)), "session"))
	answer := make(chan string, 1)
	go func() { // ends with the answer, or with the process: a read of a terminal cannot be called off
		line, _ := bufio.NewReader(in).ReadString('\n') // no answer is no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		if line == "y" || line == "yes" {
			return true, nil
		}
		fmt.Fprintln(s.err, "Nothing was deleted.")
		return false, nil
	case <-s.ctx.Done():
		fmt.Fprintln(s.err)
		return false, s.explain("", s.ctx.Err())
	}
}
