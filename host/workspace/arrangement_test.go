package workspace_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"keylane/host/workspace"
)

func sorted(t *testing.T, r *workspace.Registry, id string, byActivity ...string) []string {
	t.Helper()
	arranged, err := r.Arrangement()
	if err != nil {
		t.Fatal(err)
	}
	return arranged.Sort(id, byActivity)
}

// Whatever is moved, by whom and when: every session is shown once, one that was moved stands where it was put, and what activity does
// changes nothing among those that have a place.
func TestAnOrderByHandOutlivesActivity(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		r := open(t, t.TempDir())
		w := r.Default().ID
		var byActivity []string
		for i := range 2 + random.IntN(6) {
			byActivity = append(byActivity, fmt.Sprint("s", i))
		}
		for range 10 {
			before := sorted(t, r, w, byActivity...)
			moved, anchor := byActivity[random.IntN(len(byActivity))], ""
			if random.IntN(3) > 0 {
				anchor = byActivity[random.IntN(len(byActivity))]
			}
			err := r.Move(w, byActivity, moved, anchor)
			if moved == anchor {
				if !errors.Is(err, workspace.ErrMoveInvalid) {
					t.Fatalf("in front of itself: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(before, func(id string) bool { return id == moved })
			if at := slices.Index(want, anchor); at >= 0 {
				want = slices.Insert(want, at, moved)
			} else {
				want = append(want, moved)
			}
			random.Shuffle(len(byActivity), func(i, j int) { byActivity[i], byActivity[j] = byActivity[j], byActivity[i] })
			if got := sorted(t, r, w, byActivity...); !slices.Equal(got, want) {
				t.Fatalf("%s before %q: %v, want %v", moved, anchor, got, want)
			}
			fresh := fmt.Sprint("s", len(byActivity))
			byActivity = append([]string{fresh}, byActivity...)
			if got := sorted(t, r, w, byActivity...); got[0] != fresh || !slices.Equal(got[1:], want) {
				t.Fatalf("a new session is not on top: %v", got)
			}
		}
	}
}

func TestMovesOfTwoHostsLoseNothing(t *testing.T) {
	root := t.TempDir()
	ids := []string{"a", "b", "c", "d"}
	w := open(t, root).Default().ID
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() {
			r := open(t, root)
			if err := r.Move(w, ids, id, ""); err != nil {
				t.Error(err)
			}
			if _, err := r.Archive(id, true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	arranged, err := open(t, root).Arrangement()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(arranged.Archived)
	order := slices.Sorted(slices.Values(arranged.Orders[w]))
	if !slices.Equal(order, ids) || !slices.Equal(arranged.Archived, ids) {
		t.Errorf("%+v", arranged)
	}
}

func TestWhatIsGoneIsForgotten(t *testing.T) {
	r := open(t, t.TempDir())
	w := r.Default().ID
	if err := r.Move(w, []string{"a", "b"}, "a", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Archive("a", true); err != nil {
		t.Fatal(err)
	}
	if err := r.Forget("a"); err != nil {
		t.Fatal(err)
	}
	if arranged, err := r.Arrangement(); err != nil || len(arranged.Archived) != 0 || !slices.Equal(arranged.Orders[w], []string{"b"}) {
		t.Errorf("%+v %v", arranged, err)
	}
}

func TestADamagedFileIsNotArrangedOver(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "home", "workspaces.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, root)
	var broken *workspace.FileError
	if err := r.Move(r.Default().ID, []string{"a"}, "a", ""); !errors.As(err, &broken) {
		t.Error(err)
	}
	if _, err := r.Archive("a", true); !errors.As(err, &broken) {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "{" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}
