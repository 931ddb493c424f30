package fulltext

import (
	"slices"
	"strings"

	"keylane/host/session"
)

// turnsOfPage is how many turns of a log are in memory at a time.
const turnsOfPage = 32

// surface are events that make up a model's history, in order of the log.
type surface []message

// message is one of them, with what it says to a person who searches; "" for what was said to the model alone.
type message struct {
	seq     int64
	replace *session.SurfaceOp // nil for one that is appended
	text    string
}

func surfaceOf(events []session.Event) surface {
	var out surface
	for _, e := range events {
		if !session.IsSurface(e.Type) || e.SurfaceOp == nil {
			continue
		}
		m := message{seq: e.Seq, text: textOf(e)}
		if e.SurfaceOp.Replace {
			m.replace = e.SurfaceOp
		}
		out = append(out, m)
	}
	return out
}

func textOf(e session.Event) string {
	if e.Type == session.TypeToolResult {
		return ""
	}
	m, ok, err := session.MessageOf(e)
	if !ok || err != nil {
		return ""
	}
	// What the host puts before a model in the person's place is the same in every session; a summary stands for what was said.
	if e.Type == session.TypeUserMessage && m.Source.Kind != session.SourceUser && !e.SurfaceOp.Replace {
		return ""
	}
	return strings.TrimSpace(m.Text())
}

// texts are those that the history has in the end. A replacement of what is not there replaces nothing: a damaged log may end anywhere.
func (s surface) texts() []string {
	var history []message
	position := func(seq int64) int {
		return slices.IndexFunc(history, func(m message) bool { return m.seq == seq })
	}
	for _, m := range s {
		if m.replace == nil {
			history = append(history, m)
			continue
		}
		first, last := position(m.replace.Start), position(m.replace.End)
		if first < 0 || last < first {
			continue
		}
		history = slices.Replace(history, first, last+1, m)
	}
	var out []string
	for _, m := range history {
		if m.text != "" {
			out = append(out, m.text)
		}
	}
	return out
}
