package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTitleBytes is how long a title that a person gives may be, in bytes of UTF-8. A folder's own name may be longer.
const MaxTitleBytes = 80

// ErrTitleInvalid: the text is no title.
var ErrTitleInvalid = errors.New("not a workspace's title")

// Normalise returns a title as it is kept: on one line, one space between words. ErrTitleInvalid when nothing is left, or when it is
// longer than MaxTitleBytes, no UTF-8, or has control characters.
func Normalise(title string) (string, error) {
	kept := strings.Join(strings.Fields(title), " ")
	if kept == "" || len(kept) > MaxTitleBytes || !utf8.ValidString(kept) || strings.ContainsFunc(kept, unicode.IsControl) {
		return "", fmt.Errorf("%w: want 1 to %d bytes of text without control characters", ErrTitleInvalid, MaxTitleBytes)
	}
	return kept, nil
}

// listed are the workspaces that a person sees: those registered, and the default one before them unless it is among them or was removed.
func (f file) listed(fallback Workspace) []Workspace {
	if f.find(fallback.ID) >= 0 || slices.Contains(f.Removed, fallback.ID) {
		return f.Workspaces
	}
	return append([]Workspace{fallback}, f.Workspaces...)
}

func (f file) find(id string) int {
	return slices.IndexFunc(f.Workspaces, func(w Workspace) bool { return w.ID == id })
}

// edit changes one workspace that is listed: apply gets the file with it at a position. A change registers the default folder too.
func (r *Registry) edit(doing, id string, apply func(f *file, at int) (changed bool, err error)) error {
	err := change(r.o.File, func(f *file) (bool, error) {
		all := f.listed(r.fallback)
		at := slices.IndexFunc(all, func(w Workspace) bool { return w.ID == id })
		if at < 0 {
			return false, ErrNotFound
		}
		all[at].Provisional = false
		f.Workspaces = all
		return apply(f, at)
	})
	if err != nil {
		return fmt.Errorf("workspace: %s %s: %w", doing, id, err)
	}
	return nil
}

// taken tells whether another workspace has a title that a person would take for this one.
func taken(all []Workspace, title, exceptID string) bool {
	return slices.ContainsFunc(all, func(w Workspace) bool { return w.ID != exceptID && strings.EqualFold(w.Title, title) })
}

// Rename gives a workspace another title; its folder keeps its name. ErrNameConflict when another workspace has that title, in letters of
// either case: two that a person called alike could not be told apart. Errors besides: ErrNotFound, ErrTitleInvalid.
func (r *Registry) Rename(id, title string) (renamed Workspace, err error) {
	title, err = Normalise(title)
	if err != nil {
		return Workspace{}, fmt.Errorf("workspace: renaming %s: %w", id, err)
	}
	err = r.edit("renaming", id, func(f *file, at int) (bool, error) {
		w := &f.Workspaces[at]
		if w.Title == title {
			renamed = *w
			return false, nil
		}
		if taken(f.Workspaces, title, id) {
			return false, fmt.Errorf("%w: %q", ErrNameConflict, title)
		}
		w.Title, w.UpdatedAt = title, r.o.Clock.Now().UnixMilli()
		renamed = *w
		return true, nil
	})
	return renamed, err
}

// Remove takes a workspace out of the list, with the order of its sessions. No folder and no log is touched. The default folder stays the
// one that new sessions get, and is listed again as soon as one begins there. ErrNotFound when it is not listed.
func (r *Registry) Remove(id string) error {
	return r.edit("removing", id, func(f *file, at int) (bool, error) {
		f.Workspaces = slices.Delete(f.Workspaces, at, at+1)
		delete(f.Orders, id)
		if id == r.fallback.ID {
			f.Removed = append(f.Removed, id) // or it would be listed as the default one
		}
		return true, nil
	})
}

// Place puts a workspace in front of another one, or at the end when beforeID is empty, and returns the ids of all in their new order.
// Errors: ErrNotFound, and ErrMoveInvalid when the other one is not listed or is the same.
func (r *Registry) Place(id, beforeID string) (order []string, err error) {
	err = r.edit("moving", id, func(f *file, at int) (bool, error) {
		w := f.Workspaces[at]
		f.Workspaces = slices.Delete(slices.Clone(f.Workspaces), at, at+1)
		to := len(f.Workspaces)
		if beforeID != "" {
			if to = f.find(beforeID); to < 0 {
				return false, fmt.Errorf("%w: %s is not another one", ErrMoveInvalid, beforeID)
			}
		}
		f.Workspaces = slices.Insert(f.Workspaces, to, w)
		for _, each := range f.Workspaces {
			order = append(order, each.ID)
		}
		return to != at, nil
	})
	return order, err
}

// Unarrange forgets the order by hand of a workspace's sessions: they are shown by activity again. ErrNotFound when it is not listed.
func (r *Registry) Unarrange(id string) (w Workspace, err error) {
	err = r.edit("sorting", id, func(f *file, at int) (bool, error) {
		w = f.Workspaces[at]
		_, arranged := f.Orders[id]
		delete(f.Orders, id)
		return arranged, nil
	})
	return w, err
}
