package scaffold

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"keylane/host/api"
)

// WantWireInShape holds everything that Wire tells against the schema that the page's types are made from: a page that is told something
// else reads keys that are not there.
func (s *Stage) WantWireInShape() {
	s.Helper()
	s.check("wire in shape", func() {
		s.Helper()
		for _, problem := range outOfShape(s.Wire()) {
			s.Errorf("the host says what its schema does not: %s", problem)
		}
	})
}

// outOfShape says what in a wiretap does not fit: its first line is the answer to session.history, and each data line below it a frame.
func outOfShape(wire string) []string {
	schema := api.NewSchema()
	payloads := map[string]reflect.Type{}
	for _, f := range schema.Frames {
		payloads[f.Name] = f.Payload
	}
	check := func(t reflect.Type, name string, text []byte) []string {
		shape, err := schema.Vocabulary.Of(t)
		if err != nil {
			return []string{err.Error()}
		}
		return shape.Check(name, text)
	}
	history, frames, _ := strings.Cut(wire, "\n")
	var answer struct {
		Result struct{ Value json.RawMessage }
	}
	if err := json.Unmarshal([]byte(history), &answer); err != nil {
		return []string{fmt.Sprintf("the history: %v", err)}
	}
	problems := check(reflect.TypeFor[api.HistoryPage](), "session.history", answer.Result.Value)
	for line := range strings.Lines(frames) {
		data, isFrame := strings.CutPrefix(line, "data: ")
		if !isFrame {
			continue
		}
		var frame struct {
			Method  string
			Payload json.RawMessage
		}
		if err := json.Unmarshal([]byte(data), &frame); err != nil {
			return append(problems, fmt.Sprintf("a frame: %v", err))
		}
		payload, known := payloads[frame.Method]
		if !known {
			problems = append(problems, "the frame "+frame.Method+" is not in it")
			continue
		}
		problems = append(problems, check(payload, frame.Method, frame.Payload)...)
	}
	return problems
}
