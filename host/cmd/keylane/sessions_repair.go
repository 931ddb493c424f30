package main

import (
	"fmt"

	"keylane/host/persistence"
)

type repairCommand struct {
	sessionFlags
	ID     string `arg:"" help:"The session's id, as list prints it."`
	DryRun bool   `help:"Say what would be kept and lost, and change nothing. Exit code 1 when there is something to repair."`
}

// Help is what kong shows below the flags.
func (repairCommand) Help() string {
	return `A damaged log is cut where the damage begins, and its last turn is closed; everything before that place is kept. The log as it was is copied beside it first, and the copy's path is printed; deleting the session deletes the copy. A session that is not damaged is left alone, so the command may be given twice.

Examples:

    keylane sessions list --damaged
    keylane sessions repair ID --dry-run
    keylane sessions repair ID

` + exitCodes
}

// repaired is what repair prints as JSON.
type repaired struct {
	ID       string       `json:"id"`
	Damaged  bool         `json:"damaged"`
	Repaired bool         `json:"repaired"`
	Problem  *problemView `json:"problem,omitempty"`
	Backup   string       `json:"backup,omitempty"`
	Events   int64        `json:"events"` // the log has now, or would have
}

func (r repairCommand) Run(c console) error {
	return r.with(c, func(s *shelf) error {
		entry, err := s.entry(r.ID)
		if err != nil {
			return s.explain(r.ID, err)
		}
		if entry.LockedBy != nil && !r.DryRun { // a log that is being written may look damaged, and nothing will be done about it
			return s.explain(r.ID, &persistence.LockedError{Holder: *entry.LockedBy})
		}
		line := progress{on: s.err}
		defer line.end()
		line.say("reading %s bytes of session %s …", grouped(entry.Size), r.ID)
		page, err := s.store.Page(s.ctx, r.ID, -1, 1) // of a long log no more than that is in memory
		line.end()
		if err != nil {
			return s.explain(r.ID, err)
		}
		damage := page.Damage
		out := repaired{ID: r.ID, Damaged: damage != nil, Events: page.Stored}
		if damage == nil {
			return r.tell(s, out, fmt.Sprintf("Session %s is not damaged; nothing was done.\n", plain(r.ID)))
		}
		out.Problem = s.viewProblem(r.ID, damage)
		out.Events = page.Length
		loss := fmt.Sprintf("%s\nKept: %s before that place. Lost: %s, %s.\n", plain(where(damage)), count(damage.Seq, "event"), rowsLost(damage), count(damage.LostBytes, "byte"))
		if r.DryRun {
			return r.dry(s, entry, out, loss)
		}
		line.say("repairing session %s …", r.ID)
		done, err := s.store.Repair(s.ctx, r.ID)
		line.end()
		if err != nil {
			return s.explain(r.ID, err)
		}
		out.Repaired, out.Backup, out.Events = done.Damage != nil, done.Backup, done.Length
		return r.tell(s, out, loss+fmt.Sprintf("Repaired: the log has %s now. As it was, it is kept in\n  %s\n", count(done.Length, "event"), plain(done.Backup)))
	})
}

// dry ends a dry run: with the holder of a locked session, because the repair itself would be refused.
func (r repairCommand) dry(s *shelf, entry persistence.Entry, out repaired, loss string) error {
	next := s.command("repair", r.ID)
	if err := r.tell(s, out, loss+"Nothing was changed.\nNext: "+next+"\n"); err != nil {
		return err
	}
	if entry.LockedBy != nil {
		return s.explain(r.ID, &persistence.LockedError{Holder: *entry.LockedBy})
	}
	return exitWith(exitFailed)
}

func (r repairCommand) tell(s *shelf, out repaired, text string) error {
	if r.JSON {
		return s.json(out)
	}
	_, err := fmt.Fprint(s.out, text)
	return err
}

// rowsLost counts the rows that can still be told apart; in a spoiled frame none can.
func rowsLost(d *persistence.Damage) string {
	if d.LostRows == 0 {
		return "what can no longer be told apart"
	}
	return count(int64(d.LostRows), "row")
}
