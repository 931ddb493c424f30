package session

import (
	"errors"
	"fmt"
	"strconv"
)

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
