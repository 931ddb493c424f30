package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// maxSafeInteger is the largest integer a JavaScript number holds exactly; seq and time must stay within it.
const maxSafeInteger = 1<<53 - 1

// Event is one entry of a log.
type Event struct {
	Type string          // non-empty; may be a type nobody here knows
	Seq  int64           // index in the log, from 0 without gaps
	Time int64           // Unix ms; may go backwards
	Data json.RawMessage // lossless JSON (see ParseEvent), never nil; shared, do not change it
	// SurfaceOp says how the event changes the sequence of model messages. It is set on surface nodes (IsSurface) and only there.
	SurfaceOp *SurfaceOp
	// SourceEventSeqs are the earlier events this node was made from. HasSources tells an empty list (known: none) from an absent one
	// (not known).
	SourceEventSeqs []int64
	HasSources      bool
	// Ignorable lets a reader that does not know the type skip the event.
	Ignorable bool
}

// SurfaceOp appends its event to the surface, or replaces the nodes from Start through End (seqs of surface nodes, inclusive) by it.
type SurfaceOp struct {
	Replace    bool
	Start, End int64
}

// IsSurface says whether events of this type are surface nodes, that is, model messages.
func IsSurface(typ string) bool {
	switch typ {
	case TypeUserMessage, TypeAssistantMessage, TypeToolResult, TypeSteeringMessage:
		return true
	}
	return false
}

// MarshalJSON writes "append" or {"op":"replace","start","end"}.
func (o SurfaceOp) MarshalJSON() ([]byte, error) {
	if !o.Replace {
		return []byte(`"append"`), nil
	}
	return fmt.Appendf(nil, `{"op":"replace","start":%d,"end":%d}`, o.Start, o.End), nil
}

// UnmarshalJSON reads what MarshalJSON writes, with exactly these keys.
func (o *SurfaceOp) UnmarshalJSON(text []byte) error {
	if string(text) == `"append"` {
		*o = SurfaceOp{}
		return nil
	}
	members, err := splitObject(text)
	if err != nil {
		return fmt.Errorf(`surfaceOp is neither "append" nor an object: %w`, err)
	}
	*o = SurfaceOp{Replace: true}
	seen := map[string]bool{}
	for _, member := range members {
		seen[member.key] = true
		switch member.key {
		case "op":
			if string(member.value) != `"replace"` {
				return errors.New(`surfaceOp.op is not "replace"`)
			}
		case "start":
			o.Start, err = seqOf(member.value)
		case "end":
			o.End, err = seqOf(member.value)
		default:
			return fmt.Errorf("surfaceOp has an unknown key %q", member.key)
		}
		if err != nil {
			return fmt.Errorf("surfaceOp.%s %w", member.key, err)
		}
	}
	if len(seen) != 3 {
		return errors.New("surfaceOp must have op, start and end")
	}
	return nil
}

// MarshalJSON writes the envelope; see Append.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the envelope {"type","seq","time","data","sourceEventSeqs"?,"surfaceOp"?,"ignorable"?} to out, on one line. Unlike
// json.Marshal it leaves the bytes of Data as they are.
func (e Event) AppendJSON(out []byte) ([]byte, error) { return e.appendJSON(out, false) }

func (e Event) appendJSON(out []byte, project bool) ([]byte, error) {
	if e.Data == nil {
		return nil, fmt.Errorf("session: event %d (%s) has no data", e.Seq, e.Type)
	}
	typ, err := marshalPlain(e.Type)
	if err != nil {
		return nil, err
	}
	out = append(append(out, `{"type":`...), typ...)
	if !project {
		out = strconv.AppendInt(append(out, `,"seq":`...), e.Seq, 10)
		out = strconv.AppendInt(append(out, `,"time":`...), e.Time, 10)
	}
	data, err := oneLine(e.Data)
	if err != nil {
		return nil, fmt.Errorf("session: event %d (%s): data: %w", e.Seq, e.Type, err)
	}
	out = append(append(out, `,"data":`...), data...)
	if e.HasSources || len(e.SourceEventSeqs) > 0 {
		out = append(out, `,"sourceEventSeqs":[`...)
		for i, seq := range e.SourceEventSeqs {
			if i > 0 {
				out = append(out, ',')
			}
			out = strconv.AppendInt(out, seq, 10)
		}
		out = append(out, ']')
	}
	if e.SurfaceOp != nil {
		op, err := e.SurfaceOp.MarshalJSON()
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"surfaceOp":`...), op...)
	}
	if e.Ignorable {
		out = append(out, `,"ignorable":true`...)
	}
	return append(out, '}'), nil
}

// oneLine gives JSON without raw line ends. In valid JSON they can only stand between tokens.
func oneLine(text []byte) ([]byte, error) {
	if !bytes.ContainsAny(text, "\r\n") {
		return text, nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// UnmarshalJSON reads an envelope; see ParseEvent.
func (e *Event) UnmarshalJSON(text []byte) error {
	text, err := oneLine(text)
	if err != nil {
		return err
	}
	parsed, err := ParseEvent(slices.Clone(text))
	if err != nil {
		return err
	}
	*e = parsed
	return nil
}

// ParseEvent reads one complete event envelope and keeps parts of text as the event's Data. The keys of the envelope are a closed set; the
// whole text must be lossless JSON: valid UTF-8, no object with the same key twice, every number finite as a float64 and not -0, nested at
// most MaxDepth deep. Numbers too long for a float64 and lone surrogates (\ud83d) are kept as they are written.
func ParseEvent(text []byte) (Event, error) {
	row, err := parseRow(text)
	if err != nil {
		return Event{}, err
	}
	if !row.hasSeq || !row.hasTime {
		return Event{}, errors.New("session: invalid event envelope: seq or time is missing")
	}
	return row.event, nil
}

// row is an event envelope in which seq and time may be absent (a projected fixture).
type row struct {
	event           Event
	hasSeq, hasTime bool
}

func parseRow(text []byte) (row, error) {
	if err := checkLossless(text, rowDepth); err != nil {
		return row{}, fmt.Errorf("session: invalid event envelope: %w", err)
	}
	members, err := splitObject(text)
	if err != nil {
		return row{}, fmt.Errorf("session: invalid event envelope: %w", err)
	}
	out, err := envelope(members)
	if err != nil {
		return row{}, fmt.Errorf("session: invalid event envelope: %w", err)
	}
	return out, nil
}

func envelope(members []member) (row, error) {
	var out row
	var err error
	for _, member := range members {
		switch member.key {
		case "type":
			out.event.Type, err = textOf(member.value)
		case "seq":
			out.hasSeq = true
			out.event.Seq, err = seqOf(member.value)
		case "time":
			out.hasTime = true
			out.event.Time, err = safeInteger(member.value)
		case "data":
			out.event.Data = json.RawMessage(member.value)
		case "surfaceOp":
			out.event.SurfaceOp = new(SurfaceOp)
			err = out.event.SurfaceOp.UnmarshalJSON(member.value)
		case "sourceEventSeqs":
			out.event.HasSources = true
			out.event.SourceEventSeqs, err = seqsOf(member.value)
		case "ignorable":
			out.event.Ignorable = true
			if string(member.value) != "true" {
				err = errors.New("is not true")
			}
		default:
			err = errors.New("is not a key of an event")
		}
		if err != nil {
			return row{}, fmt.Errorf("%q: %w", member.key, err)
		}
	}
	if out.event.Type == "" {
		return row{}, errors.New("type is missing or empty")
	}
	if out.event.Data == nil {
		return row{}, errors.New("data is missing")
	}
	return out, nil
}

func textOf(value []byte) (string, error) {
	var text *string
	if err := json.Unmarshal(value, &text); err != nil || text == nil {
		return "", errors.New("is not a string")
	}
	return *text, nil
}

// safeInteger reads an integer as JavaScript would accept it: 5, 5.0 and 5e0 are all the integer 5.
func safeInteger(value []byte) (int64, error) {
	if number, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		if number > maxSafeInteger || number < -maxSafeInteger {
			return 0, fmt.Errorf("%d is not a safe integer", number)
		}
		return number, nil
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil || number != float64(int64(number)) || number > maxSafeInteger || number < -maxSafeInteger {
		return 0, errors.New("is not a safe integer")
	}
	return int64(number), nil
}

func seqOf(value []byte) (int64, error) {
	seq, err := safeInteger(value)
	if err != nil {
		return 0, err
	}
	if seq < 0 {
		return 0, errors.New("is negative")
	}
	return seq, nil
}

func seqsOf(value []byte) ([]int64, error) {
	elements, err := splitArray(value)
	if err != nil {
		return nil, err
	}
	seqs := make([]int64, 0, len(elements))
	for _, element := range elements {
		seq, err := seqOf(element)
		if err != nil {
			return nil, err
		}
		seqs = append(seqs, seq)
	}
	return seqs, nil
}
