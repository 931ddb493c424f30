package workspace

import (
	"fmt"
	"slices"
)

// Arrangement is what a person has arranged about sessions.
type Arrangement struct {
	// Orders has, by workspace id, the sessions that have a fixed place, first one first. The package comment says what that means for
	// the others. Ids of sessions that are gone may be among them until the next move.
	Orders map[string][]string `json:"orders,omitempty"`
	// Archived are the sessions that were put away, the last one last.
	Archived []string `json:"archived,omitempty"`
}

// Sort returns the sessions of a workspace in the order in which they are shown: byActivity, newest first, without those that have a
// fixed place, and then those.
func (a Arrangement) Sort(workspaceID string, byActivity []string) []string {
	fixed := map[string]bool{}
	for _, id := range a.Orders[workspaceID] {
		fixed[id] = true
	}
	present := map[string]bool{}
	sorted := make([]string, 0, len(byActivity))
	for _, id := range byActivity {
		present[id] = true
		if !fixed[id] {
			sorted = append(sorted, id)
		}
	}
	for _, id := range a.Orders[workspaceID] {
		if present[id] {
			sorted = append(sorted, id)
		}
	}
	return sorted
}

// Arrangement returns what is arranged. An error is a *FileError.
func (r *Registry) Arrangement() (Arrangement, error) {
	f, err := read(r.o.File)
	return f.Arrangement, err
}

// Move puts a session in front of another one of its workspace, or at the end when beforeID is empty, and fixes the order of all of
// them. byActivity are the workspace's sessions, newest activity first. Moves that come at the same time, also in two hosts, are made
// one after the other, each on what the one before has left. ErrMoveInvalid when one of the two is not among byActivity.
func (r *Registry) Move(workspaceID string, byActivity []string, sessionID, beforeID string) error {
	invalid := func(what string) error {
		return fmt.Errorf("workspace: moving session %s in %s: %w: %s", sessionID, workspaceID, ErrMoveInvalid, what)
	}
	switch {
	case !slices.Contains(byActivity, sessionID):
		return invalid("it is not of this folder")
	case sessionID == beforeID:
		return invalid("it cannot go in front of itself")
	case beforeID != "" && !slices.Contains(byActivity, beforeID):
		return invalid(beforeID + " is not of this folder")
	}
	err := change(r.o.File, func(f *file) (bool, error) {
		order := slices.DeleteFunc(f.Sort(workspaceID, byActivity), func(id string) bool { return id == sessionID })
		at := slices.Index(order, beforeID)
		if at < 0 {
			at = len(order)
		}
		if f.Orders == nil {
			f.Orders = map[string][]string{}
		}
		f.Orders[workspaceID] = slices.Insert(order, at, sessionID)
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("workspace: moving session %s: %w", sessionID, err)
	}
	return nil
}

// Archive puts a session away, or takes it back, and returns all that are away then.
func (r *Registry) Archive(sessionID string, away bool) (archived []string, err error) {
	err = change(r.o.File, func(f *file) (bool, error) {
		archived = f.Archived
		if slices.Contains(archived, sessionID) == away {
			return false, nil
		}
		if away {
			archived = append(archived, sessionID)
		} else {
			archived = slices.DeleteFunc(archived, func(id string) bool { return id == sessionID })
		}
		f.Archived = archived
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("workspace: archiving session %s: %w", sessionID, err)
	}
	return archived, nil
}

// Forget removes a session that is gone from what is arranged.
func (r *Registry) Forget(sessionID string) error {
	gone := func(id string) bool { return id == sessionID }
	err := change(r.o.File, func(f *file) (changed bool, err error) {
		if slices.ContainsFunc(f.Archived, gone) {
			f.Archived, changed = slices.DeleteFunc(f.Archived, gone), true
		}
		for workspaceID, order := range f.Orders {
			if slices.ContainsFunc(order, gone) {
				f.Orders[workspaceID], changed = slices.DeleteFunc(order, gone), true
			}
		}
		return changed, nil
	})
	if err != nil {
		return fmt.Errorf("workspace: forgetting session %s: %w", sessionID, err)
	}
	return nil
}
