package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Packed rows stand for runs of stream chunks. They exist in files only. Their tags have no slash, so no event type can look like one.
const (
	tagText      = "text-chunks"
	tagReasoning = "reasoning-chunks"
	tagToolCall  = "tool-call-chunks"
)

// minimalRun is the shortest run that is packed.
const minimalRun = 3

func isPackedTag(typ string) bool { return typ == tagText || typ == tagReasoning || typ == tagToolCall }

// delta is a stream chunk that can be packed, cut into the raw JSON of its parts. Fragments are never decoded: a provider may cut a text
// inside a surrogate pair, and then only the escaped form is lossless.
type delta struct {
	tag               string
	turn, step, index string // integers as text
	id, name          []byte // of a tool call; name is nil when absent
	fragment          []byte
}

// sameRun says whether two chunks may stand in one packed row, apart from their seqs.
func (d delta) sameRun(o delta) bool {
	return d.tag == o.tag && d.turn == o.turn && d.step == o.step && d.index == o.index &&
		bytes.Equal(d.id, o.id) && bytes.Equal(d.name, o.name) && (d.name == nil) == (o.name == nil)
}

// data is the event data the chunk is decoded to. Only chunks whose data is exactly this are packed, so that packing loses nothing.
func (d delta) data() json.RawMessage {
	out := make([]byte, 0, 96+len(d.id)+len(d.name)+len(d.fragment))
	add := func(text string, value []byte) { out = append(append(out, text...), value...) }
	add(`{"turn":`, []byte(d.turn))
	add(`,"step":`, []byte(d.step))
	switch d.tag {
	case tagText:
		add(`,"chunk":{"type":"text-delta","index":`, []byte(d.index))
		add(`,"text":`, d.fragment)
	case tagReasoning:
		add(`,"chunk":{"type":"reasoning-delta","index":`, []byte(d.index))
		add(`,"text":`, d.fragment)
	case tagToolCall:
		add(`,"chunk":{"type":"tool-call-delta","index":`, []byte(d.index))
		add(`,"id":`, d.id)
		if d.name != nil {
			add(`,"name":`, d.name)
		}
		add(`,"argumentsDelta":`, d.fragment)
	}
	return append(out, "}}"...)
}

var chunkTags = map[string]string{`"text-delta"`: tagText, `"reasoning-delta"`: tagReasoning, `"tool-call-delta"`: tagToolCall}

// packable cuts an event into its parts if a packed row can stand for it.
func packable(e Event) (delta, bool) {
	if e.Type != TypeAssistantChunk || e.SurfaceOp != nil || e.HasSources || e.Ignorable {
		return delta{}, false
	}
	data, err := splitObject(e.Data)
	if err != nil || len(data) != 3 {
		return delta{}, false
	}
	var out delta
	for _, field := range data {
		switch field.key {
		case "turn":
			out.turn = string(field.value)
		case "step":
			out.step = string(field.value)
		case "chunk":
			chunk, err := splitObject(field.value)
			if err != nil {
				return delta{}, false
			}
			out.takeChunk(chunk)
		}
	}
	for _, number := range []string{out.turn, out.step, out.index} {
		if !canonicalInteger(number) {
			return delta{}, false
		}
	}
	if out.tag == "" || !isString(out.fragment) || out.tag == tagToolCall && (!isString(out.id) || out.name != nil && !isString(out.name)) {
		return delta{}, false
	}
	return out, bytes.Equal(out.data(), e.Data)
}

func (d *delta) takeChunk(chunk []member) {
	for _, field := range chunk {
		switch field.key {
		case "type":
			d.tag = chunkTags[string(field.value)]
		case "index":
			d.index = string(field.value)
		case "id":
			d.id = field.value
		case "name":
			d.name = field.value
		case "text", "argumentsDelta":
			d.fragment = field.value
		}
	}
}

func canonicalInteger(text string) bool {
	number, err := strconv.ParseInt(text, 10, 64)
	return err == nil && number >= 0 && number <= maxSafeInteger && strconv.FormatInt(number, 10) == text
}

func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// AppendRows appends events as storage rows, one line each with its line end. With o.Pack, runs of at least three chunks of one block
// become one row. An event that could not be read back (its data is not lossless JSON, its type is reserved) is an error.
func AppendRows(out []byte, events []Event, o WriteOptions) ([]byte, error) {
	for _, e := range events {
		if err := checkEnvelope(e, e.Seq); err != nil {
			return nil, err
		}
		if err := checkLossless(e.Data, MaxDepth); err != nil {
			return nil, fmt.Errorf("session: event %d (%s): data: %w", e.Seq, e.Type, err)
		}
	}
	for start := 0; start < len(events); {
		end := start + 1
		if o.Pack {
			end = start + runLength(events[start:])
		}
		var err error
		if end-start >= minimalRun {
			out = appendPacked(out, events[start:end], o.Project)
		} else {
			end = start + 1
			out, err = events[start].appendJSON(out, o.Project)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, '\n')
		start = end
	}
	return out, nil
}

// runLength is how many events from the first on could stand in one packed row.
func runLength(events []Event) int {
	first, ok := packable(events[0])
	if !ok {
		return 1
	}
	length := 1
	for length < len(events) && events[length].Seq == events[length-1].Seq+1 && safeDifference(events[length].Time, events[length-1].Time) {
		next, ok := packable(events[length])
		if !ok || !first.sameRun(next) {
			break
		}
		length++
	}
	return length
}

func safeDifference(a, b int64) bool { d := a - b; return d <= maxSafeInteger && d >= -maxSafeInteger }

func appendPacked(out []byte, run []Event, project bool) []byte {
	first, _ := packable(run[0])
	out = fmt.Appendf(out, `{"type":%q`, first.tag)
	if !project {
		out = fmt.Appendf(out, `,"seq0":%d,"time0":%d`, run[0].Seq, run[0].Time)
	}
	out = fmt.Appendf(out, `,"data":{"turn":%s,"step":%s,"index":%s,"dt":[`, first.turn, first.step, first.index)
	for i := 1; i < len(run); i++ {
		if i > 1 {
			out = append(out, ',')
		}
		gap := run[i].Time - run[i-1].Time
		if project {
			gap = 0
		}
		out = strconv.AppendInt(out, gap, 10)
	}
	list := "texts"
	if first.tag == tagToolCall {
		list = "args"
		out = fmt.Appendf(out, `],"id":%s`, first.id)
		if first.name != nil {
			out = fmt.Appendf(out, `,"name":%s`, first.name)
		}
		out = append(out, `,"args":[`...)
	} else {
		out = fmt.Appendf(out, `],%q:[`, list)
	}
	for i, e := range run {
		if i > 0 {
			out = append(out, ',')
		}
		member, _ := packable(e)
		out = append(out, member.fragment...)
	}
	return append(out, `]}}`...)
}
