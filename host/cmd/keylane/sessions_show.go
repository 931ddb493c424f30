package main

import (
	"bufio"
	"errors"
	"fmt"

	"keylane/host/persistence"
	"keylane/host/session"
)

type showCommand struct {
	sessionFlags
	ID     string `arg:"" help:"The session's id, as list prints it."`
	Events bool   `help:"Print the events as JSON lines, exactly as they are stored."`
	Turn   int    `help:"Only turn N: as a transcript, or with --events its events." placeholder:"N"`
}

// Help is what kong shows below the flags.
func (showCommand) Help() string {
	return `Says what the session amounts to: title, folder, turns, tokens, the model, where its log is, and what is wrong with it (exit code 1 then).

--events prints the log itself, which is yours: prompts, output of tools, and what a provider said about failures, nothing left out. Look before you share it. A transcript (--turn, export --format markdown) holds what was said and what tools printed.

Examples:

    keylane sessions show ID
    keylane sessions show ID --turn 3
    keylane sessions show ID --events | jq -c 'select(.type == "tool/call")'

` + exitCodes
}

// Validate is called by kong: what it refuses is a misuse.
func (s showCommand) Validate() error {
	switch {
	case s.Turn < 0:
		return fmt.Errorf("--turn %d: want 1 or more", s.Turn)
	case s.JSON && (s.Events || s.Turn > 0):
		return errors.New("--json tells about a session; its events are JSON anyway: leave --json out")
	}
	return nil
}

func (s showCommand) Run(c console) error {
	return s.with(c, func(shelf *shelf) error {
		var page persistence.Page
		var err error
		switch {
		case s.Events:
			page, err = s.events(shelf)
		case s.Turn > 0:
			page, err = s.transcript(shelf)
		default:
			return s.summary(shelf)
		}
		if err != nil {
			return shelf.explain(s.ID, err)
		}
		return shelf.broken(s.ID, page)
	})
}

// broken is the error of a command that has shown what can be read of a damaged log.
func (s *shelf) broken(id string, page persistence.Page) error {
	if page.Damage == nil {
		return nil
	}
	return s.explain(id, page.Damage)
}

func (s *shelf) noTurn(id string, turn int, page persistence.Page) error {
	if page.Damage != nil {
		return page.Damage // it may have been there
	}
	return &problem{exit: exitNotFound, text: fmt.Sprintf("session %q has no turn %d; it has %s", id, turn, count(int64(page.Projection.Turns), "turn")),
		next: s.command("show", id)}
}

func (s showCommand) events(shelf *shelf) (persistence.Page, error) {
	out := bufio.NewWriter(shelf.out.body())
	var which turns
	found := false
	page, err := walk(shelf.ctx, shelf.store, s.ID, func(events []session.Event) error {
		for _, e := range events {
			if turn := which.of(e); s.Turn != 0 && turn != s.Turn {
				continue
			}
			found = true
			line, err := e.AppendJSON(nil)
			if err != nil {
				return err
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = out.Flush()
	}
	if err == nil && s.Turn != 0 && !found {
		err = shelf.noTurn(s.ID, s.Turn, page)
	}
	return page, err
}

func (s showCommand) transcript(shelf *shelf) (persistence.Page, error) {
	out := bufio.NewWriter(shelf.out.body())
	t := transcript{to: out, only: s.Turn}
	page, err := walk(shelf.ctx, shelf.store, s.ID, t.take)
	if err == nil {
		err = out.Flush()
	}
	if err == nil && !t.found {
		err = shelf.noTurn(s.ID, s.Turn, page)
	}
	return page, err
}

// sessionDetail is what show prints as JSON: a session with what its log amounts to.
type sessionDetail struct {
	sessionView
	Turns    int    `json:"turns"`
	Steps    int    `json:"steps"`
	Events   int64  `json:"events"`             // stored
	OpenTurn int    `json:"openTurn,omitempty"` // the turn that runs, or that a crash left open
	Waiting  int    `json:"waiting"`            // messages in the queue
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// Tokens of all answers and summaries; the window is how full the model's is.
	Usage         session.Usage `json:"usage"`
	ContextTokens int           `json:"contextTokens"`
	ContextWindow int           `json:"contextWindow"`
}

func (s showCommand) summary(shelf *shelf) error {
	entry, err := shelf.entry(s.ID)
	if err != nil {
		return shelf.explain(s.ID, err)
	}
	detail := sessionDetail{sessionView: shelf.view(entry)}
	if detail.State == stateSound || detail.State == stateDamaged {
		line := progress{on: shelf.err}
		line.say("reading %s bytes of session %s …", grouped(entry.Size), s.ID)
		page, err := shelf.store.Page(shelf.ctx, s.ID, -1, 1)
		line.end()
		if err != nil {
			return shelf.explain(s.ID, err)
		}
		// What opening the session would add does not count yet: the turn is open as the log has it.
		p := page.Projection
		detail.Turns, detail.Steps, detail.Events, detail.Waiting = p.Turns, p.Steps, page.Stored, len(p.Inbox)+len(p.InboxNextStep)
		if detail.OpenTurn = p.OpenTurn; page.Length > page.Stored {
			detail.OpenTurn = p.Turns
		}
		detail.Provider, detail.Model, detail.Usage = p.Model.Provider, p.Model.Model, p.Usage
		detail.ContextTokens, detail.ContextWindow = p.ContextTokens, p.ContextWindow
	}
	if shelf.flags.JSON {
		err = shelf.json(detail)
	} else {
		err = shelf.tell(entry, detail)
	}
	if err == nil && detail.Problem != nil {
		return exitWith(exitFailed)
	}
	return err
}

func (s *shelf) tell(entry persistence.Entry, d sessionDetail) error {
	out := bufio.NewWriter(s.out.Writer)
	title := plain(d.Title)
	if title == "" {
		title = "Untitled session"
	}
	fmt.Fprintln(out, s.out.paint(bold, title))
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "  %s%s\n", s.out.paint(faint, fmt.Sprintf("%-14s", name)), value)
		}
	}
	row("id", plain(d.ID))
	row("folder", plain(d.Cwd))
	row("created", d.CreatedAt)
	row("last activity", s.when(lastActivity(entry)))
	row("forked from", plain(d.Parent))
	if d.Events > 0 {
		row("history", fmt.Sprintf("%s, %s, %s", count(int64(d.Turns), "turn"), count(int64(d.Steps), "step"), count(d.Events, "event")))
		row("tokens", tokens(d.Usage))
		row("window", window(d))
	}
	if d.Model != "" {
		row("model", plain(d.Provider+"/"+d.Model))
	}
	if d.OpenTurn > 0 && d.LockedBy == nil {
		row("open turn", fmt.Sprintf("%d: cut off; opening the session closes it", d.OpenTurn))
	}
	if d.Waiting > 0 {
		row("queue", count(int64(d.Waiting), "message")+" waiting")
	}
	row("log", fmt.Sprintf("%s (%s bytes)", plain(d.Path), grouped(d.Bytes)))
	if d.LockedBy != nil {
		row("open in", s.out.paint(yellow, holder(entry.LockedBy)))
	}
	row("state", s.state(entry, d))
	return out.Flush()
}

func (s *shelf) state(entry persistence.Entry, d sessionDetail) string {
	if d.Problem == nil {
		return d.State
	}
	return s.out.paint(red, plain(d.State+": "+trouble(entry, d.Problem))) + "\nNext: " + d.Problem.Next
}

func tokens(u session.Usage) string {
	text := fmt.Sprintf("%s in, %s out", grouped(int64(u.InputTokens)), grouped(int64(u.OutputTokens)))
	for _, more := range []struct {
		n    *int
		noun string
	}{{u.CacheReadTokens, "from the cache"}, {u.CacheWriteTokens, "into the cache"}, {u.ReasoningTokens, "for reasoning"}} {
		if more.n != nil {
			text += fmt.Sprintf(", %s %s", grouped(int64(*more.n)), more.noun)
		}
	}
	return text
}

func window(d sessionDetail) string {
	if d.ContextWindow == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s tokens", grouped(int64(d.ContextTokens)), grouped(int64(d.ContextWindow)))
}
