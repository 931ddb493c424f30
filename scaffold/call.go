package scaffold

import (
	"encoding/json"
	"fmt"
)

// Call makes a call of the host's API as another client of the same host would, and decodes its value into value, which may be nil. A call
// that the host refuses ends the scenario; what a person can do on the page, a scenario does there.
func (s *Stage) Call(method string, payload, value any) {
	s.Helper()
	s.calls++
	s.timeline.note("lane", "call "+method)
	answer, err := s.api.Call(s.Context, fmt.Sprintf("lane-%d", s.calls), method, payload)
	if err != nil {
		s.Fatalf("scaffold: calling %s: %v", method, err)
	}
	var envelope struct {
		Result struct {
			OK    bool            `json:"ok"`
			Value json.RawMessage `json:"value"`
			Error json.RawMessage `json:"error"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &envelope); err != nil {
		s.Fatalf("scaffold: reading the answer of %s: %v", method, err)
	}
	if !envelope.Result.OK {
		s.Fatalf("scaffold: the host refuses %s: %s", method, envelope.Result.Error)
	}
	if value == nil {
		return
	}
	if err := json.Unmarshal(envelope.Result.Value, value); err != nil {
		s.Fatalf("scaffold: reading the value of %s: %v", method, err)
	}
}
