package script

// Asked is a request as a program sees it, see [Serve].
type Asked struct {
	Model    string
	Messages []Said // never empty
}

// Said is one message of a request: the vendor's role (system, user, assistant, tool) and the text.
type Said struct{ Role, Text string }

// Say is a reply with the defaults of a script: a text, if any, and calls.
func Say(text string, calls ...ToolCall) Reply {
	return Reply{Text: text, ToolCalls: calls, ChunkRunes: 4, CutAfter: -1, HangAfter: -1}
}

func (r request) plain() Asked {
	asked := Asked{Model: r.Model}
	for _, m := range r.Messages {
		asked.Messages = append(asked.Messages, Said{m.Role, m.text()})
	}
	return asked
}

func (m message) text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}
