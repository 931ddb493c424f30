package fulltext

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"keylane/host/persistence"
)

// batch is how many sessions are read between two writes: what is read is not read again after a crash.
const batch = 32

// sessions are the stored ones that can be found, with what the store says of each.
type sessions map[string]persistence.Entry

// current brings the index up to date and tells the sessions as of which it is.
func (x *Index) current() (sessions, error) {
	listed, err := x.pass()
	if useless(err) {
		x.discard(err)
		listed, err = x.pass()
	}
	return listed, err
}

func (x *Index) pass() (sessions, error) {
	if err := x.ready(); err != nil {
		return nil, err
	}
	entries, err := x.o.Store.List(x.ctx)
	if err != nil {
		return nil, err
	}
	listed := sessions{}
	for _, e := range entries {
		if findable(e) {
			listed[e.Header.ID] = e
		}
	}
	known, err := x.db.revisions(x.ctx)
	if err != nil {
		return nil, err
	}
	var gone, stale []string
	for id := range known {
		if _, there := listed[id]; !there {
			gone = append(gone, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(listed)) {
		if now := listed[id].Revision; known[id] != now && x.failed[id] != now {
			stale = append(stale, id)
		}
	}
	if err := x.db.change(x.ctx, gone, nil); err != nil {
		return nil, err
	}
	if len(stale) > batch {
		x.o.Logger.Info("the search index is being made", "sessions", len(stale))
	}
	for some := range slices.Chunk(stale, batch) {
		if err := x.read(some, listed); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// findable says whether a list of sessions shows the session, and there is something to read in it.
func findable(e persistence.Entry) bool {
	var damage *persistence.Damage
	return e.Revision != "" && e.Header.Cwd != "" && !e.Blank && (e.Problem == nil || errors.As(e.Problem, &damage))
}

// read takes some sessions into the index. One that cannot be read is left out and named in the host's log.
func (x *Index) read(ids []string, listed sessions) error {
	var read []document
	for _, id := range ids {
		texts, err := said(x.ctx, x.o.Store, id)
		switch {
		case x.ctx.Err() != nil:
			return x.ctx.Err()
		case errors.Is(err, persistence.ErrNotFound): // it went since the list was made
			delete(listed, id)
			continue
		case err != nil:
			x.failed[id] = listed[id].Revision
			x.o.Logger.Warn("a session cannot be searched", "session", id, "error", err)
			continue
		}
		read = append(read, document{id, listed[id].Revision, texts})
	}
	return x.db.change(x.ctx, ids, read)
}

// ready opens the database where there is none.
func (x *Index) ready() error {
	if x.db != nil {
		return nil
	}
	db, err := x.open(x.o.Folder)
	if err != nil && x.o.Folder != "" && x.ctx.Err() == nil {
		x.o.Logger.Warn("the search index cannot be kept on disk; it is in memory, and made anew by every host", "folder", x.o.Folder, "error", err)
		db, err = x.open("")
	}
	x.db = db
	return err
}

// open opens the database in a folder, a new one in the place of one that is of no use.
func (x *Index) open(folder string) (*database, error) {
	if folder == "" {
		return open(x.ctx, "")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	db, err := open(x.ctx, file(folder))
	if useless(err) {
		x.o.Logger.Warn("the search index is of no use and is made anew", "folder", folder, "error", err)
		if err := remove(folder); err != nil {
			return nil, err
		}
		db, err = open(x.ctx, file(folder))
	}
	return db, err
}

// discard throws the index away, because of cause.
func (x *Index) discard(cause error) {
	x.o.Logger.Warn("the search index is damaged and is made anew", "folder", x.o.Folder, "error", cause)
	x.release()
	if x.o.Folder == "" {
		return
	}
	if err := remove(x.o.Folder); err != nil {
		x.o.Logger.Warn("a damaged search index cannot be removed", "folder", x.o.Folder, "error", err)
	}
}

func (x *Index) release() {
	if x.db == nil {
		return
	}
	if err := x.db.close(); err != nil {
		x.o.Logger.Warn("the search index could not be closed", "error", err)
	}
	x.db = nil
	clear(x.failed)
}

// said is what people and models said in a stored session, in order, in memory that the texts bound and not the log.
func said(ctx context.Context, store persistence.Store, id string) ([]string, error) {
	var pages []surface
	for before := int64(-1); ; {
		page, err := store.Page(ctx, id, before, turnsOfPage)
		if err != nil {
			return nil, err
		}
		pages = append(pages, surfaceOf(page.Events))
		if !page.HasMore || len(page.Events) == 0 {
			break
		}
		before = page.Events[0].Seq
	}
	slices.Reverse(pages)
	return slices.Concat(pages...).texts(), nil
}
