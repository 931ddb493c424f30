package askuser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"keylane/host/llm"
	"keylane/host/tool"
)

// Error codes of results that are errors.
const (
	CodeInvalidQuestions = "INVALID_QUESTIONS"
	CodeDismissed        = "ASK_CANCELLED"
	CodeAborted          = "ASK_ABORTED"
)

// New makes the tool that asks at a desk.
func New(d *Desk) tool.Tool { return &ask{d} }

type ask struct{ desk *Desk }

type arguments struct {
	Questions []struct {
		ID          string   `json:"id" schema:"required,min=1" about:"A name of your own for the question; the answer has it too"`
		Question    string   `json:"question" schema:"required,min=1" about:"The question, as the person reads it"`
		Header      string   `json:"header" about:"Its subject, in one to three words"`
		Options     []Option `json:"options" schema:"max=20" about:"Answers to choose from; the person can always write another one"`
		MultiSelect bool     `json:"multi_select" about:"Whether several options can be chosen; default false"`
	} `json:"questions" schema:"required,min=1,max=10"`
}

// Schema is what the model is shown.
func (*ask) Schema() llm.ToolSchema {
	return llm.ToolSchema{
		Name: "ask_user_question",
		Description: "Asks the person one or several questions and waits for the answers. Use it when you cannot go on well without a decision " +
			"that is theirs. The result is JSON with one answer per question; an empty one means that the person skipped the question.",
		Parameters: tool.Parameters[arguments](),
	}
}

// card is what the page shows of a call.
type card struct {
	Card string `json:"card"` // "question"
	// Outcome is "answered", "dismissed" by the person or "withdrawn" with the turn; empty while the person is asked.
	Outcome   string     `json:"outcome,omitempty"`
	Questions []Question `json:"questions"`
	Answers   []Answer   `json:"answers,omitempty"`
}

// Present shows the questions. They have no outcome yet.
func (*ask) Present(c tool.Call) json.RawMessage {
	questions, err := read(c.Arguments)
	if err != nil {
		return nil
	}
	view, err := encode(card{Card: "question", Questions: questions})
	if err != nil {
		return nil
	}
	return view
}

// Run asks and waits; see the package comment.
func (t *ask) Run(ctx context.Context, c tool.Call) tool.Result {
	questions, err := read(c.Arguments)
	if err != nil {
		return tool.Failed("AskError", CodeInvalidQuestions, err.Error())
	}
	answers, err := t.desk.Ask(ctx, c.SessionID, c.CallID, questions)
	var result tool.Result
	outcome := "answered"
	switch {
	case err == nil:
		text, err := encode(struct {
			Answers []Answer `json:"answers"`
		}{answers})
		if err != nil {
			return tool.Failed("InternalError", tool.CodeInternal, err.Error())
		}
		result.Text = string(text)
	case errors.Is(err, ErrDismissed):
		outcome = "dismissed"
		result = tool.Failed("AskError", CodeDismissed, "the person dismissed the questions without an answer. Go on without it, or say what you need.")
	default:
		outcome = "withdrawn"
		result = tool.Failed("AbortError", CodeAborted, "the questions were withdrawn, because the turn was stopped")
	}
	meta, err := encode(card{"question", outcome, questions, answers})
	if err != nil {
		return tool.Failed("InternalError", tool.CodeInternal, err.Error())
	}
	result.Meta = meta
	return result
}

// read takes the questions out of the arguments; what the schema cannot say is checked here.
func read(raw json.RawMessage) ([]Question, error) {
	var args arguments
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("reading the arguments: %w", err)
	}
	ids := map[string]bool{}
	questions := make([]Question, len(args.Questions))
	for i, q := range args.Questions {
		if ids[q.ID] {
			return nil, fmt.Errorf("two questions have the id %q. give each one its own", q.ID)
		}
		ids[q.ID] = true
		labels := map[string]bool{}
		for _, o := range q.Options {
			if labels[o.Label] {
				return nil, fmt.Errorf("the question %q has the option %q twice. give each one its own label", q.ID, o.Label)
			}
			labels[o.Label] = true
		}
		questions[i] = Question(q)
	}
	return questions, nil
}

// encode leaves < > & as they are: it goes into the log, which has text as it was written.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("askuser: encoding: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
