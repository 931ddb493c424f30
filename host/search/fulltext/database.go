package fulltext

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"keylane/host/search"
)

const (
	// application marks the file as a search index of ours, format is its layout and the way words are made: a change of either is another
	// format.
	application = 0x6b6c7365
	format      = 1
)

// schema: word has the words of a session as search.Words makes them, joined by spaces, under the session's number, and keeps no text;
// message has what was said, for excerpts.
const schema = `
CREATE TABLE session (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, revision TEXT NOT NULL);
CREATE TABLE message (session INTEGER NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (session, place)) WITHOUT ROWID;
CREATE VIRTUAL TABLE word USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
`

// errForeign says that a database is not an index, or one of another format.
var errForeign = errors.New("not a search index of this version")

// database is the index. It has one connection: only one goroutine uses it.
type database struct{ sql *sql.DB }

// document is what the index has of a session.
type document struct {
	id, revision string
	texts        []string
}

func file(folder string) string { return filepath.Join(folder, "index.db") }

// open opens the index in a file, which is made when it is not there; "" is in memory.
func open(ctx context.Context, path string) (_ *database, err error) {
	// Another host may be writing: wait for it. A transaction that will write says so when it begins, because one that finds out later may
	// have read what the other changes.
	address := url.URL{Scheme: "file", Opaque: ":memory:", RawQuery: "_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=temp_store(memory)"}
	if path != "" {
		address.Opaque = (&url.URL{Path: path}).EscapedPath()
		address.RawQuery += "&_pragma=journal_mode(wal)&_pragma=synchronous(normal)"
	}
	pool, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	db := &database{pool}
	defer func() {
		if err != nil {
			err = errors.Join(err, pool.Close())
		}
	}()
	return db, db.write(ctx, func(tx *sql.Tx) error {
		var owner, version, tables int
		row := tx.QueryRowContext(ctx, `SELECT a.application_id, v.user_version, (SELECT count(*) FROM sqlite_schema)
			FROM pragma_application_id a, pragma_user_version v`)
		if err := row.Scan(&owner, &version, &tables); err != nil {
			return err
		}
		switch {
		case owner == application && version == format:
			return nil
		case owner != 0 || version != 0 || tables != 0:
			return fmt.Errorf("%w: application %#x, format %d", errForeign, owner, version)
		}
		_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", application, format))
		return err
	})
}

// remove removes the index of a folder. A host that has it open goes on with it, and loses it when it ends.
func remove(folder string) error {
	var problems []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(file(folder) + suffix); !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

func (d *database) close() error { return d.sql.Close() }

// useless says whether an error means that the database is damaged, foreign, or has not the tables it should have.
func useless(err error) bool {
	var known *sqlite.Error
	if !errors.As(err, &known) {
		return errors.Is(err, errForeign)
	}
	switch known.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_FORMAT:
		return true
	}
	return false
}

// write runs what f does as one transaction.
func (d *database) write(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		if failure := tx.Rollback(); failure != nil && !errors.Is(failure, sql.ErrTxDone) {
			err = errors.Join(err, failure)
		}
		return err
	}
	return tx.Commit()
}

// rows calls each for every row of a query.
func (d *database) rows(ctx context.Context, each func(scan func(...any) error) error, query string, arguments ...any) (err error) {
	found, err := d.sql.QueryContext(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		if err := each(found.Scan); err != nil {
			return err
		}
	}
	return found.Err()
}

// revisions tells which revision of each session the index has.
func (d *database) revisions(ctx context.Context) (map[string]string, error) {
	known := map[string]string{}
	err := d.rows(ctx, func(scan func(...any) error) error {
		var id, revision string
		err := scan(&id, &revision)
		known[id] = revision
		return err
	}, `SELECT id, revision FROM session`)
	return known, err
}

// change takes sessions out of the index and puts others in, all of it or nothing.
func (d *database) change(ctx context.Context, out []string, in []document) error {
	if len(out)+len(in) == 0 {
		return nil
	}
	return d.write(ctx, func(tx *sql.Tx) error {
		for _, id := range out {
			for _, statement := range []string{
				`DELETE FROM word WHERE rowid = (SELECT number FROM session WHERE id = ?)`,
				`DELETE FROM message WHERE session = (SELECT number FROM session WHERE id = ?)`,
				`DELETE FROM session WHERE id = ?`,
			} {
				if _, err := tx.ExecContext(ctx, statement, id); err != nil {
					return err
				}
			}
		}
		for _, d := range in {
			if err := d.insert(ctx, tx); err != nil {
				return fmt.Errorf("session %q: %w", d.id, err)
			}
		}
		return nil
	})
}

func (d document) insert(ctx context.Context, tx *sql.Tx) error {
	made, err := tx.ExecContext(ctx, `INSERT INTO session (id, revision) VALUES (?, ?)`, d.id, d.revision)
	if err != nil {
		return err
	}
	number, err := made.LastInsertId()
	if err != nil {
		return err
	}
	var words strings.Builder
	for place, text := range d.texts {
		if _, err := tx.ExecContext(ctx, `INSERT INTO message (session, place, text) VALUES (?, ?, ?)`, number, place, text); err != nil {
			return err
		}
		for _, word := range search.Words(text) {
			words.WriteString(word.Text)
			words.WriteByte(' ')
		}
		words.WriteString("¶ ") // a word to SQLite and none to a query: no phrase goes from one message into the next
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO word (rowid, text) VALUES (?, ?)`, number, words.String())
	return err
}
