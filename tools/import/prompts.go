package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
	"keylane/host/session"
)

// A story is what a scenario does to replay a log: the prompts that a person typed, one for each turn, and how the turns ended.
type story struct {
	prompts []string // tokens allowed
	reasons []string
	titled  bool // a model was asked for the session's name
}

// askTool is the tool that asks the person.
const askTool = "ask_user_question"

// storyOf reads the story of a scrubbed log. The error says, in one sentence each, why a page and a host cannot be driven through it again.
func storyOf(header session.Header, events []session.Event) (story, error) {
	var s story
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	turn, said := 0, 0
	for _, event := range events {
		switch event.Type {
		case session.TypeTurnStart:
			turn, said = turn+1, 0
		case session.TypeTurnEnd:
			var end session.TurnEnd
			if err := json.Unmarshal(event.Data, &end); err != nil {
				return s, fmt.Errorf("event %d: %w", event.Seq, err)
			}
			s.reasons = append(s.reasons, end.Reason.Kind)
			switch {
			case end.Reason.Kind != session.ReasonCompleted && end.Reason.Kind != session.ReasonMaxTokens:
				problem("turn %d ended %q, for which the log does not say when", turn, end.Reason.Kind)
			case said == 0:
				problem("turn %d was not begun by a prompt", turn)
			}
		case session.TypeToolCall:
			var call struct{ Name string }
			if err := json.Unmarshal(event.Data, &call); err == nil && call.Name == askTool {
				problem("turn %d asks the person a question", turn)
			}
		}
		message, ok, err := session.MessageOf(event)
		if err != nil {
			return s, err
		}
		if !ok || message.Source.Kind != "user" {
			continue
		}
		if said++; said > 1 || event.Type == session.TypeSteeringMessage {
			problem("turn %d was steered: a message came while it ran", turn)
		}
		for _, block := range message.Content {
			if block.Type != session.BlockText {
				problem("the prompt of turn %d holds something else than text", turn)
			}
		}
		s.prompts = append(s.prompts, message.Text())
	}
	problems = append(problems, s.calls(header, events)...)
	if len(s.prompts) == 0 {
		problem("it holds no prompt")
	}
	return s, errors.Join(problems...)
}

// beginning is how much of the first prompt may become the session's name.
const beginning = 60

// namesItsFolder says that the first prompt begins with a path of the run: a name that is cut from it would hold a part of this
// machine's path, where no normaliser finds it.
func (s story) namesItsFolder() bool {
	if len(s.prompts) == 0 || s.titled {
		return false
	}
	at := strings.Index(s.prompts[0], "{{cwd}}")
	return at >= 0 && at < beginning
}

// calls looks at what models were asked.
func (s *story) calls(header session.Header, events []session.Event) []error {
	scripts, err := recorded.DeriveSession(header, events)
	if err != nil {
		return []error{err}
	}
	if len(scripts) == 0 {
		return []error{errors.New("it holds no model call")}
	}
	var problems []error
	for _, script := range scripts {
		switch script.Purpose {
		case llm.PurposeTurn:
		case llm.PurposeTitle:
			s.titled = true
		default:
			problems = append(problems, fmt.Errorf("a model was asked for another purpose than a turn (%s)", script.Purpose))
		}
	}
	return problems
}
