package jsonl

import (
	"context"
	"errors"
	"fmt"
	"os"

	"keylane/host/persistence"
	"keylane/host/session"
)

// Page reads a part of a session; see persistence.Store.
func (s *Store) Page(ctx context.Context, id string, beforeSeq int64, turns int) (page persistence.Page, err error) {
	err = s.on(ctx, "read", id, func(t *tracked) error {
		if t.known && t.path == "" {
			page = persistence.Page{Header: t.header, Projection: session.Project(t.header, nil), Events: []session.Event{}}
			return nil
		}
		page, err = s.page(ctx, id, t, beforeSeq, turns)
		return err
	})
	return page, err
}

func (s *Store) page(ctx context.Context, id string, t *tracked, beforeSeq int64, turns int) (persistence.Page, error) {
	path, err := s.find(id)
	if err != nil {
		return persistence.Page{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return persistence.Page{}, err
	}
	defer file.Close() // opened to read: nothing can be lost
	out, err := s.pageOf(ctx, file, path, id, t, true, beforeSeq, turns)
	if errors.Is(err, errMoved) {
		out, err = s.pageOf(ctx, file, path, id, t, false, beforeSeq, turns)
	}
	if err != nil {
		return persistence.Page{}, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

func (s *Store) pageOf(ctx context.Context, file *os.File, path, id string, t *tracked, trust bool, beforeSeq int64, turns int) (persistence.Page, error) {
	v, size := t.survey, t.size
	if !t.known {
		seen, now, err := s.surveyOf(ctx, file, path, id, trust)
		if err != nil {
			return persistence.Page{}, err
		}
		v, size = seen, now.Size
	}
	if err := s.checkIdentity(v.Header, path); err != nil {
		return persistence.Page{}, err
	}
	start, end, more := session.PageOf(v.Starts, v.length(), beforeSeq, turns)
	events, err := s.events(ctx, file, path, size, v, start, end)
	if err != nil {
		return persistence.Page{}, err
	}
	out := persistence.Page{Header: v.Header, Events: events, HasMore: more, Stored: v.length(), Damage: v.Damage}
	if t.held == nil {
		if out.LockedBy, err = s.holder(id); err != nil {
			return persistence.Page{}, err
		}
	}
	follower := v.Follower
	if t.held == nil && out.LockedBy == nil { // somebody who has it open may yet close the turn himself
		follower = follower.Clone()
		for _, e := range v.Follower.Closing() {
			follower.Add(e)
			if end == v.length() {
				out.Events = append(out.Events, e)
			}
		}
	}
	out.Projection, out.Length = follower.Projection(), follower.Length()
	return out, nil
}
