package waiting_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"keylane/host/waiting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type request struct{ id, session string }

func (r request) WaitID() string      { return r.id }
func (r request) WaitSession() string { return r.session }

type desk = waiting.Desk[request, int, string]

// told collects changes as words; begun gets the id of whatever begins to wait.
func told(d *desk) (words func() []string, begun chan string) {
	var mu sync.Mutex
	var all []string
	begun = make(chan string, 10)
	d.Observe(func(c waiting.Change[request, string]) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, c.Request.id+c.Outcome)
		if c.Outcome == "" {
			begun <- c.Request.id
		}
	})
	return func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(all) }, begun
}

func TestAnAnswerEndsTheWaitItNames(t *testing.T) {
	var d desk
	words, begun := told(&d)
	answers := make(chan int, 2)
	for _, id := range []string{"a", "b"} {
		go func() {
			answer, answered := d.Wait(t.Context(), request{id, "s"}, " withdrawn")
			if !answered {
				t.Error(id, "was withdrawn")
			}
			answers <- answer
		}()
		<-begun
	}
	if got := d.Of("s"); len(got) != 2 || got[0].id != "a" || d.Of("t") != nil {
		t.Errorf("%v", got)
	}
	if d.Settle("nobody", 0, " answered") {
		t.Error("nobody was answered")
	}
	if !d.Settle("b", 2, " answered") || <-answers != 2 || !d.Settle("a", 1, " answered") || <-answers != 1 || d.Settle("a", 1, " answered") {
		t.Error("the answers went astray")
	}
	if diff := cmp.Diff([]string{"a", "b", "b answered", "a answered"}, words()); diff != "" {
		t.Error(diff)
	}
	if _, waits := d.Find("a"); waits {
		t.Error("it waits still")
	}
}

func TestWhoObservesLaterLearnsWhatWaits(t *testing.T) {
	var d desk
	_, begun := told(&d)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		_, answered := d.Wait(ctx, request{"a", "s"}, " withdrawn")
		ended <- answered
	}()
	<-begun
	later, _ := told(&d)
	var none []string
	dispose := d.Observe(func(c waiting.Change[request, string]) { none = append(none, c.Outcome) })
	dispose()
	cancel()
	if <-ended {
		t.Error("nobody answered, and yet")
	}
	if diff := cmp.Diff([]string{"a", "a withdrawn"}, later()); diff != "" {
		t.Error(diff)
	}
	if len(none) != 1 {
		t.Errorf("disposed, and told: %q", none)
	}
}

// Whichever comes first, a wait has one end, everybody agrees on it, and the answer that Settle took is the one that Wait gives.
func TestAnAnswerAndAnEndInTheSameMomentAgree(t *testing.T) {
	for i := range 200 {
		var d desk
		words, begun := told(&d)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan string)
		go func() {
			answer, answered := d.Wait(ctx, request{"a", "s"}, " withdrawn")
			ended <- fmt.Sprint(answer, answered)
		}()
		<-begun
		settled := make(chan bool)
		go cancel()
		go func() { settled <- d.Settle("a", i+1, " answered") }()
		want, word := fmt.Sprint(0, false), "a withdrawn"
		if <-settled {
			want, word = fmt.Sprint(i+1, true), "a answered"
		}
		if got := <-ended; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if diff := cmp.Diff([]string{"a", word}, words()); diff != "" {
			t.Fatal(diff)
		}
	}
}
