package agent_test

import (
	"errors"
	"testing"

	"keylane/host/agent"
	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
)

// elsewhere is the store of another host on the same files.
func (w *world) elsewhere() persistence.Store {
	w.t.Helper()
	other, err := jsonl.New(jsonl.Config{Root: w.root, Compression: jsonl.CompressionNone}, clock.System())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := other.Close(w.t.Context()); err != nil {
			w.t.Error(err)
		}
	})
	return other
}

func TestDeletingEndsTheTurnThatRuns(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text("So far"))
	w.model.prepare(hanging)
	a := w.create()
	id := a.Log().ID()
	var removed []string
	t.Cleanup(w.manager.OnChange(func(c agent.Change) {
		if c.Kind == agent.Removed {
			removed = append(removed, c.Agent.Log().ID())
		}
	}))
	w.prompt(a, "one")
	<-hanging.reached
	if err := w.manager.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if a.Running() {
		t.Error("the agent still runs")
	}
	if err := a.Prompt(t.Context(), user("two")); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("the agent of a deleted session takes a prompt: %v", err)
	}
	if _, err := w.manager.Open(t.Context(), id); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("a deleted session opens: %v", err)
	}
	if len(removed) != 1 || removed[0] != id || len(w.manager.Attached()) != 0 {
		t.Errorf("told of %q, attached are %d", removed, len(w.manager.Attached()))
	}
	if err := w.manager.Delete(t.Context(), id); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}

func TestWhatAnotherHostHasOpenIsNeitherOpenedNorDeleted(t *testing.T) {
	w := newWorld(t)
	w.model.prepare(says("done"))
	a := w.create()
	id := a.Log().ID()
	w.prompt(a, "one")
	w.idle(a)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	other := w.elsewhere()
	if _, _, err := other.Load(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	w.boot(0)
	if _, err := w.manager.Open(t.Context(), id); !errors.Is(err, persistence.ErrLocked) {
		t.Errorf("opened: %v", err)
	}
	if err := w.manager.Delete(t.Context(), id); !errors.Is(err, persistence.ErrLocked) {
		t.Errorf("deleted: %v", err)
	}
	child, err := w.manager.Fork(t.Context(), id, -1)
	if err != nil || child.Log().Projection().Turns != 1 {
		t.Errorf("a held session cannot be forked: %v", err)
	}
	if err := other.Release(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	// What fails to open is not kept from others.
	if _, err := w.manager.Create(t.Context(), agent.CreateOptions{SessionID: id, Cwd: t.TempDir()}); !errors.Is(err, agent.ErrConflict) {
		t.Errorf("created elsewhere: %v", err)
	}
	if _, _, err := other.Load(t.Context(), id); err != nil {
		t.Errorf("a failed opening keeps the lock: %v", err)
	}
}

func TestAForkOfARunningSessionHasOnlyWhatIsCompleted(t *testing.T) {
	w := newWorld(t)
	hanging := hangs(text("So far"))
	w.model.prepare(says("first"), hanging)
	a := w.create()
	w.prompt(a, "one")
	w.idle(a)
	w.prompt(a, "two")
	<-hanging.reached
	child, err := w.manager.Fork(t.Context(), a.Log().ID(), -1)
	if err != nil {
		t.Fatal(err)
	}
	if p := child.Log().Projection(); p.Turns != 1 || p.OpenTurn != 0 || len(p.Inbox) != 0 {
		t.Errorf("the child: %+v", p)
	}
	events := a.Log().Events(0, -1)
	if _, err := w.manager.Fork(t.Context(), a.Log().ID(), events[len(events)-1].Seq); !errors.Is(err, session.ErrForkUnavailable) {
		t.Errorf("forked inside an open turn: %v", err)
	}
	if length, err := w.store.Length(t.Context(), child.Log().ID()); err != nil || length != child.Log().Len() {
		t.Errorf("the child is not durable: %d of %d, %v", length, child.Log().Len(), err)
	}
	if err := a.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
}
