package fulltext_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"keylane/host/search"
)

func (a *archive) database() string { return filepath.Join(a.folder(), "index.db") }

// restart ends the index and begins another over the same folder.
func (a *archive) restart() {
	a.t.Helper()
	a.must(a.index.Close(background))
	_, a.index = a.host(a.folder())
}

func TestAnIndexIsKeptAndReadAgain(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "word"))
	if _, err := os.Stat(a.folder()); err == nil {
		t.Error("the index was made before anybody searched")
	}
	a.want("word", "s: [word]")
	a.must(a.index.Close(background))
	pool, err := sql.Open("sqlite", a.database())
	a.must(err)
	_, err = pool.Exec(`UPDATE message SET text = 'another word'`)
	a.must(err)
	a.must(pool.Close())
	_, a.index = a.host(a.folder())
	a.want("word", "s: another [word]") // of a log that has not changed, nothing is read
	a.say("s", 2, "model", "more")
	a.want("word", "s: [word]")
}

// Whatever lies in the place of the index, a search answers from the logs, and the index is whole afterwards.
func TestAnIndexOfNoUseIsMadeAnew(t *testing.T) {
	execute := func(statements string) func(a *archive) {
		return func(a *archive) {
			pool, err := sql.Open("sqlite", a.database())
			a.must(err)
			_, err = pool.Exec(statements)
			a.must(err)
			a.must(pool.Close())
		}
	}
	for name, spoil := range map[string]func(a *archive){
		"not a database": func(a *archive) {
			a.must(os.WriteFile(a.database(), []byte(strings.Repeat("no database ", 1000)), 0o600))
		},
		"cut":   func(a *archive) { a.must(os.Truncate(a.database(), 8192)) },
		"empty": func(a *archive) { a.must(os.Truncate(a.database(), 0)) },
		"overwritten": func(a *archive) {
			content, err := os.ReadFile(a.database())
			a.must(err)
			for i := 4096; i < len(content); i++ {
				content[i] = 0xa5
			}
			a.must(os.WriteFile(a.database(), content, 0o600))
		},
		"of another format":  execute("PRAGMA user_version = 99"),
		"of somebody else":   execute("PRAGMA application_id = 7"),
		"without its tables": execute("DROP TABLE word; DROP TABLE message"),
		"somebody's tables":  func(a *archive) { a.must(os.Remove(a.database())); execute("CREATE TABLE theirs (x)")(a) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			a.keep("s", 10, message(0, "user", "word"))
			a.want("word", "s: [word]")
			a.must(a.index.Close(background))
			spoil(a)
			_, a.index = a.host(a.folder())
			a.want("word", "s: [word]")
			a.restart()
			before := a.log.String()
			a.want("word", "s: [word]")
			if told := strings.TrimPrefix(a.log.String(), before); told != "" {
				t.Errorf("the new index is no good either:\n%s", told)
			}
		})
	}
}

func TestWithoutAPlaceOnDiskTheIndexIsInMemory(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "word"))
	a.must(os.WriteFile(filepath.Join(a.root, "file"), nil, 0o600))
	_, index := a.host(filepath.Join(a.root, "file", "search"))
	if got := a.found(index, "word"); got != "s: [word]" || !strings.Contains(a.log.String(), "cannot be kept on disk") {
		t.Errorf("found %q, told %s", got, a.log)
	}
	a.say("s", 2, "model", "more")
	if got := a.found(index, "more"); got != "s: [more]" {
		t.Errorf("found %q", got)
	}
}

// Two hosts on one home use the same index at the same time, and neither spoils it for the other.
func TestTwoHostsShareAnIndex(t *testing.T) {
	a := newArchive(t)
	for _, id := range []string{"a", "b", "c"} {
		a.keep(id, 10, message(0, "user", "word"))
	}
	_, other := a.host(a.folder())
	for round := range 20 {
		a.say("a", int64(2+round), "model", "turn")
		var asked sync.WaitGroup
		for _, index := range []interface {
			search.Engine
			Refresh()
		}{a.index, other} {
			asked.Go(func() {
				index.Refresh()
				answer, err := index.Search(background, search.Parse("word"))
				if err != nil || len(answer.Hits) != 3 {
					t.Errorf("%+v, %v", answer, err)
				}
			})
		}
		asked.Wait()
	}
	if strings.Contains(a.log.String(), "WARN") {
		t.Errorf("a host suffered:\n%s", a.log)
	}
}

func TestARefreshMovesTheWorkToWhereNobodyWaits(t *testing.T) {
	a := newArchive(t)
	a.keep("s", 10, message(0, "user", "word"))
	a.index.Refresh() // nobody has searched: nothing is made
	if _, err := os.Stat(a.folder()); err == nil {
		t.Error("the index was made before anybody searched")
	}
	a.want("word", "s: [word]")
	a.say("s", 2, "model", "later")
	a.index.Refresh()
	a.want("later", "s: [later]")
}
