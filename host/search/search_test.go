package search_test

import (
	"context"
	"errors"
	"testing"

	"keylane/host/search"
)

type engine struct{ asked []search.Query }

func (e *engine) Search(_ context.Context, q search.Query) (search.Answer, error) {
	e.asked = append(e.asked, q)
	return search.Answer{HasMore: true}, nil
}

func TestTheEngineThatIsRegisteredAnswers(t *testing.T) {
	var slot search.Slot
	if _, err := slot.Search(t.Context(), "word"); !errors.Is(err, search.ErrUnavailable) {
		t.Errorf("without an engine: %v", err)
	}
	e := &engine{}
	dispose, err := slot.Register(e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := slot.Register(&engine{}); err == nil {
		t.Error("a second engine was taken")
	}
	if answer, err := slot.Search(t.Context(), "two words"); err != nil || !answer.HasMore || len(e.asked) != 1 || len(e.asked[0].Phrases) != 2 {
		t.Errorf("%+v, %v, asked %+v", answer, err, e.asked)
	}
	dispose()
	dispose()
	if _, err := slot.Search(t.Context(), "word"); !errors.Is(err, search.ErrUnavailable) {
		t.Errorf("after it went: %v", err)
	}
}
