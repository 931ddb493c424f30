package session

import (
	"bytes"
	"encoding/json"
	"errors"
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
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"turn":%s,"step":%s,"chunk":{"type":`, d.turn, d.step)
	switch d.tag {
	case tagText:
		fmt.Fprintf(&out, `"text-delta","index":%s,"text":%s}}`, d.index, d.fragment)
	case tagReasoning:
		fmt.Fprintf(&out, `"reasoning-delta","index":%s,"text":%s}}`, d.index, d.fragment)
	case tagToolCall:
		fmt.Fprintf(&out, `"tool-call-delta","index":%s,"id":%s`, d.index, d.id)
		if d.name != nil {
			fmt.Fprintf(&out, `,"name":%s`, d.name)
		}
		fmt.Fprintf(&out, `,"argumentsDelta":%s}}`, d.fragment)
	}
	return out.Bytes()
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

// packedRow is a packed row in parts.
type packedRow struct {
	tag         string
	positioned  bool // has seq0 and time0
	seq0, time0 int64
	head        delta // fragment unused
	gaps        []int64
	fragments   [][]byte
}

// unpack gives the events a packed row stands for. Without seq0 and time0 they start at seq next with time 0.
func unpack(tag string, members []member, next int64, o ReadOptions) ([]Event, error) {
	row, err := parsePacked(tag, members)
	if err == nil && !row.positioned && !o.Lenient {
		err = errors.New("seq0 and time0 are missing")
	}
	if err != nil {
		return nil, fmt.Errorf("session: malformed %s storage row: %w", tag, err)
	}
	seq, time := next, int64(0)
	if row.positioned {
		seq, time = row.seq0, row.time0
	}
	events := make([]Event, 0, len(row.fragments))
	for i, fragment := range row.fragments {
		if i > 0 && row.positioned {
			time += row.gaps[i-1]
		}
		if time > maxSafeInteger || time < -maxSafeInteger || seq > maxSafeInteger {
			return nil, fmt.Errorf("session: malformed %s storage row: seq or time out of range", tag)
		}
		made := row.head
		made.fragment = fragment
		events = append(events, Event{Type: TypeAssistantChunk, Seq: seq, Time: time, Data: made.data()})
		seq++
	}
	return events, nil
}

func parsePacked(tag string, members []member) (packedRow, error) {
	row := packedRow{tag: tag}
	var data []member
	var err error
	var hasSeq, hasTime bool
	for _, field := range members {
		switch field.key {
		case "type":
		case "seq0":
			hasSeq = true
			row.seq0, err = seqOf(field.value)
		case "time0":
			hasTime = true
			row.time0, err = safeInteger(field.value)
		case "data":
			data, err = splitObject(field.value)
		default:
			err = errors.New("is not a key of a packed row")
		}
		if err != nil {
			return row, fmt.Errorf("%q: %w", field.key, err)
		}
	}
	if hasSeq != hasTime {
		return row, errors.New("has only one of seq0 and time0")
	}
	row.positioned = hasSeq
	return row, row.takeData(data)
}

func (r *packedRow) takeData(data []member) error {
	list := "texts"
	if r.tag == tagToolCall {
		list = "args"
	}
	r.head.tag = r.tag
	var hasGaps bool
	for _, field := range data {
		var err error
		switch {
		case field.key == "turn":
			r.head.turn, err = indexText(field.value)
		case field.key == "step":
			r.head.step, err = indexText(field.value)
		case field.key == "index":
			r.head.index, err = indexText(field.value)
		case field.key == "dt":
			hasGaps = true
			r.gaps, err = gapsOf(field.value)
		case field.key == list:
			r.fragments, err = stringsOf(field.value)
		case field.key == "id" && r.tag == tagToolCall:
			r.head.id, err = rawString(field.value)
		case field.key == "name" && r.tag == tagToolCall:
			r.head.name, err = rawString(field.value)
		default:
			err = errors.New("is not a key of this row's data")
		}
		if err != nil {
			return fmt.Errorf("data: %q: %w", field.key, err)
		}
	}
	switch {
	case r.head.turn == "" || r.head.step == "" || r.head.index == "" || !hasGaps:
		return errors.New("data: turn, step, index or dt is missing")
	case r.tag == tagToolCall && r.head.id == nil:
		return errors.New("data: id is missing")
	case len(r.fragments) == 0:
		return fmt.Errorf("data: %s is missing or empty", list)
	case len(r.gaps) != len(r.fragments)-1:
		return fmt.Errorf("data: %d %s with %d gaps", len(r.fragments), list, len(r.gaps))
	}
	return nil
}

func indexText(value []byte) (string, error) {
	number, err := seqOf(value)
	return strconv.FormatInt(number, 10), err
}

func rawString(value []byte) ([]byte, error) {
	if !isString(value) {
		return nil, errors.New("is not a string")
	}
	return value, nil
}

func gapsOf(value []byte) ([]int64, error) {
	elements, err := splitArray(value)
	if err != nil {
		return nil, err
	}
	gaps := make([]int64, 0, len(elements))
	for _, element := range elements {
		gap, err := safeInteger(element)
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, gap)
	}
	return gaps, nil
}

func stringsOf(value []byte) ([][]byte, error) {
	elements, err := splitArray(value)
	if err != nil {
		return nil, err
	}
	for _, element := range elements {
		if !isString(element) {
			return nil, errors.New("holds something that is not a string")
		}
	}
	return elements, nil
}
