package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"keylane/host/persistence"
)

// screenful is how many sessions a terminal is shown unless --limit says otherwise.
const screenful = 20

type listCommand struct {
	sessionFlags
	Cwd     string `help:"Only sessions of this folder and those below it." placeholder:"DIR"`
	Damaged bool   `help:"Only sessions that need care: damaged, unreadable, or written by a newer keylane. Exit code 1 when there are any."`
	Limit   *int   `help:"Show no more than N; 0 is all. Default: 20 on a terminal, else all." placeholder:"N"`
}

// Help is what kong shows below the flags.
func (listCommand) Help() string {
	return `Newest first: by the last message a person wrote. In a pipe each session is one line of five fields with a tab between them: last activity (RFC 3339), id, state, folder, title. The state is "sound", "damaged", "unsupported" or "unreadable"; ",open" follows when another process has the session open.

Examples:

    keylane sessions list
    keylane sessions list --cwd ~/src/app --limit 5
    keylane sessions list --json | jq -r '.sessions[] | select(.lockedBy) | .id'

` + exitCodes
}

// Validate is called by kong: what it refuses is a misuse.
func (l listCommand) Validate() error {
	if l.Limit != nil && *l.Limit < 0 {
		return fmt.Errorf("--limit %d: want 0 or more", *l.Limit)
	}
	return nil
}

// listing is what list prints as JSON. Total counts the sessions that match, also beyond the limit.
type listing struct {
	Total    int           `json:"total"`
	Sessions []sessionView `json:"sessions"`
}

func (l listCommand) Run(c console) error { return l.with(c, l.list) }

func (l listCommand) list(s *shelf) error {
	wait := progress{on: s.err}
	wait.say("reading what sessions there are …")
	entries, err := s.store.List(s.ctx)
	wait.end()
	if err != nil {
		return s.explain("", err)
	}
	if entries, err = l.choose(entries); err != nil {
		return err
	}
	out := listing{Total: len(entries), Sessions: []sessionView{}}
	limit := 0
	if s.out.tty && !l.JSON {
		limit = screenful
	}
	if l.Limit != nil {
		limit = *l.Limit
	}
	if limit > 0 && len(entries) > limit {
		entries = entries[:limit]
	}
	for _, e := range entries {
		out.Sessions = append(out.Sessions, s.view(e))
	}
	switch {
	case l.JSON:
		err = s.json(out)
	case s.out.tty:
		err = s.cards(entries, out)
	default:
		err = s.rows(out.Sessions)
	}
	if err == nil && l.Damaged && out.Total > 0 {
		return exitWith(exitFailed)
	}
	return err
}

func (l listCommand) choose(entries []persistence.Entry) ([]persistence.Entry, error) {
	below := ""
	if l.Cwd != "" {
		var err error
		if below, err = filepath.Abs(l.Cwd); err != nil {
			return nil, misuse("--cwd %s: %v", l.Cwd, err)
		}
	}
	out := slices.DeleteFunc(entries, func(e persistence.Entry) bool {
		inside := below == "" || e.Header.Cwd == below || strings.HasPrefix(e.Header.Cwd, strings.TrimSuffix(below, "/")+"/")
		return !inside || l.Damaged && e.Problem == nil
	})
	slices.SortFunc(out, func(a, b persistence.Entry) int {
		return cmp.Or(cmp.Compare(lastActivity(b), lastActivity(a)), cmp.Compare(a.Header.ID, b.Header.ID), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// rows is the list for programs.
func (s *shelf) rows(sessions []sessionView) error {
	var out strings.Builder
	for _, v := range sessions {
		state := v.State
		if v.LockedBy != nil {
			state += ",open"
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\t%s\n", v.LastActivity, plain(v.ID), state, plain(v.Cwd), plain(v.Title))
	}
	_, err := fmt.Fprint(s.out, out.String())
	return err
}

// cards is the list for a person: two lines for each session.
func (s *shelf) cards(entries []persistence.Entry, l listing) error {
	var out strings.Builder
	for i, v := range l.Sessions {
		title := plain(v.Title)
		switch {
		case title != "":
		case v.State == stateUnreadable || v.State == stateUnsupported:
			title = "Unreadable session"
		default:
			title = "Untitled session"
		}
		when := s.when(lastActivity(entries[i]))
		fmt.Fprintf(&out, "%s  %s\n", s.out.paint(bold, fit(title, s.out.width-len(when)-2)), s.out.paint(faint, when))
		fmt.Fprintf(&out, "  %s  %s\n", plain(v.ID), s.out.paint(faint, fit(tilde(plain(v.Cwd)), s.out.width-len(v.ID)-4)))
		if v.LockedBy != nil {
			fmt.Fprintf(&out, "  %s\n", s.out.paint(yellow, "open in "+holder(entries[i].LockedBy)))
		}
		if v.Problem != nil {
			fmt.Fprintf(&out, "  %s\n  Next: %s\n", s.out.paint(red, plain(trouble(entries[i], v.Problem))), v.Problem.Next)
		}
	}
	switch {
	case l.Total == 0:
		out.WriteString("No sessions.\n")
	case len(l.Sessions) < l.Total:
		out.WriteString(s.out.paint(faint, fmt.Sprintf("%d of %s; --limit 0 shows all.", len(l.Sessions), count(int64(l.Total), "session"))) + "\n")
	}
	_, err := fmt.Fprint(s.out, out.String())
	return err
}
