package title

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"keylane/host/composition"
	"keylane/host/llm"
	"keylane/host/session"
)

// Service names the host's sessions.
var Service = composition.NewService[*Namer]("session-title")

// Namer is how sessions get their names. It is safe for concurrent use.
type Namer struct {
	fallback bool

	mu    sync.Mutex // guards model
	model *Model
}

// NewNamer makes a Namer without a model; fallback says whether first words name a session.
func NewNamer(fallback bool) *Namer { return &Namer{fallback: fallback} }

// Fallback is the name a session has at first; "" for none.
func (n *Namer) Fallback(text string) string {
	if !n.fallback {
		return ""
	}
	return Fallback(text)
}

// SetModel has sessions named by a model, until dispose is called, which may be more than once. A second one at the same time is an error.
func (n *Namer) SetModel(m Model) (dispose func(), err error) {
	if field, err := m.Check(); err != nil {
		return nil, fmt.Errorf("title: %s: %w", field, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.model != nil {
		return nil, errors.New("title: a model names sessions already")
	}
	mounted := &m
	n.model = mounted
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.model == mounted {
			n.model = nil
		}
	}, nil
}

// Model is how a model is asked; false when none is.
func (n *Namer) Model() (Model, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.model == nil {
		return Model{}, false
	}
	return *n.model, true
}

// Model says how a model is asked for a title.
type Model struct {
	// TargetWords is how long a title shall be; TargetCJKCharacters says it for scripts that do not part words.
	TargetWords, TargetCJKCharacters int
	// MaxInputBytes bounds what of the first message is quoted.
	MaxInputBytes int
	// MaxOutputTokens bounds the answer.
	MaxOutputTokens int
	// Timeout is how long an answer may take.
	Timeout time.Duration
}

// DefaultModel is what is shipped.
func DefaultModel() Model {
	return Model{TargetWords: 5, TargetCJKCharacters: 10, MaxInputBytes: 4096, MaxOutputTokens: 64, Timeout: time.Minute}
}

// Check says what is wrong: the field, in the words of the row's keys, and why.
func (m Model) Check() (field string, err error) {
	for _, each := range []struct {
		name  string
		value int64
	}{
		{"targetWords", int64(m.TargetWords)}, {"targetCjkCharacters", int64(m.TargetCJKCharacters)}, {"maxInputBytes", int64(m.MaxInputBytes)},
		{"maxOutputTokens", int64(m.MaxOutputTokens)}, {"timeoutMs", m.Timeout.Milliseconds()},
	} {
		if each.value < 1 {
			return each.name, fmt.Errorf("%d: want 1 or more", each.value)
		}
	}
	return "", nil
}

// Request makes the call for a title of base, which has the session, the route and nothing else. id is the message's, text the first message.
func (m Model) Request(base llm.Request, id, text string) llm.Request {
	base.Purpose, base.MaxTokens = llm.PurposeTitle, m.MaxOutputTokens
	base.System = fmt.Sprintf("You name conversations. Answer with a title for the conversation that begins as quoted, and with nothing else: "+
		"about %d words, or about %d characters in a script that does not part words; in the language of the message; no quotes, no full stop. "+
		"Do not answer the message.", m.TargetWords, m.TargetCJKCharacters)
	base.Messages = []session.Message{{
		ID: id, Role: session.RoleUser, Content: []session.Block{{Type: session.BlockText, Text: "<message>\n" + cut(text, m.MaxInputBytes) + "\n</message>"}},
		Source: session.Source{Kind: session.SourcePlugin, Plugin: "session-title"},
	}}
	return base
}
