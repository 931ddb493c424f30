package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ReadOptions says how exact a log must be.
//
// Strict (the zero value) is for stores: every header field and envelope as the format demands, seqs from 0 without gaps. Lenient is for
// fixtures: version and delegationDepth may be absent, cwd may be a token, and the events may have no seq and time (all of them or none);
// then they are numbered from 0 and get time 0. Seqs that are there need only grow; they are closed up. Citations of an appended message
// that do not hold after that are dropped (not known), because fixtures are edited by hand.
type ReadOptions struct {
	Lenient bool
	// Notice, if set, is told about everything that lenient reading changed.
	Notice func(line int, change string)
}

// WriteOptions says how a log is written.
type WriteOptions struct {
	Pack    bool // runs of stream chunks become packed rows
	Project bool // leave out seq and time, as fixtures do
}

// DecodeRow reads one storage row (without its line end): one event, or the events a packed row stands for. next is the seq to give to
// events that have none (lenient only). It does not check that seqs follow each other, nor the surface: see Validate. The events keep parts
// of line.
func DecodeRow(line []byte, next int64, o ReadOptions) ([]Event, error) {
	events, _, err := decodeRow(line, next, o)
	return events, err
}

func decodeRow(line []byte, next int64, o ReadOptions) (events []Event, positioned bool, err error) {
	if err := checkLossless(line, rowDepth); err != nil {
		return nil, false, fmt.Errorf("session: invalid storage row: %w", err)
	}
	members, err := splitObject(line)
	if err != nil {
		return nil, false, fmt.Errorf("session: invalid storage row: %w", err)
	}
	for _, field := range members {
		if field.key != "type" {
			continue
		}
		if tag, err := textOf(field.value); err == nil && isPackedTag(tag) {
			events, err := unpack(tag, members, next, o)
			return events, hasKey(members, "seq0"), err
		}
	}
	out, err := envelope(members)
	switch {
	case err != nil:
	case out.hasSeq != out.hasTime:
		err = errors.New("has only one of seq and time")
	case !out.hasSeq && !o.Lenient:
		err = errors.New("seq and time are missing")
	case !out.hasSeq:
		out.event.Seq = next
	}
	if err != nil {
		return nil, false, fmt.Errorf("session: invalid event envelope: %w", err)
	}
	return []Event{out.event}, out.hasSeq, nil
}

func hasKey(members []member, key string) bool {
	for _, field := range members {
		if field.key == key {
			return true
		}
	}
	return false
}

// Read reads a whole log: the header line, then one storage row per line. Empty lines are skipped, lines may end in \r\n and be of any
// length, the last line needs no line end. The result is validated; an error names the line.
func Read(r io.Reader, o ReadOptions) (Header, []Event, error) {
	reader := logReader{options: o, surface: newSurface(), seqs: map[int64]int64{}}
	lines := NewLineReader(r)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = reader.line(line)
		}
		if err != nil {
			return Header{}, nil, fmt.Errorf("session: line %d: %w", lines.Number(), err)
		}
		reader.number = lines.Number() + 1
	}
	if !reader.headed {
		return Header{}, nil, errors.New("session: line 1: the log is empty, a header line is missing")
	}
	return reader.header, reader.events, nil
}

type logReader struct {
	options ReadOptions
	number  int // lines read before the current one, plus one
	header  Header
	headed  bool
	events  []Event
	surface *surface
	// What lenient reading needs.
	positioned *bool           // whether the rows have seqs, once known
	last       int64           // the last seq in the file
	seqs       map[int64]int64 // seq in the file → seq given
	moved      bool            // some seq was changed
}

func (r *logReader) line(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	if !r.headed {
		header, err := ParseHeader(line, r.options)
		r.header, r.headed = header, err == nil
		return err
	}
	next := int64(len(r.events))
	events, positioned, err := decodeRow(line, next, r.options)
	if err != nil {
		return err
	}
	if r.positioned != nil && *r.positioned != positioned {
		return errors.New("some rows have a seq and some have none")
	}
	r.positioned = &positioned
	for _, e := range events {
		if r.options.Lenient {
			if err := r.renumber(&e, positioned); err != nil {
				return err
			}
		}
		if err := checkEnvelope(e, int64(len(r.events))); err != nil {
			return err
		}
		made, err := r.surface.check(e)
		if err != nil {
			return err
		}
		r.surface.add(e, made)
		r.events = append(r.events, e)
	}
	return nil
}

// renumber closes up the seqs of a fixture and drops citations that do not hold.
func (r *logReader) renumber(e *Event, positioned bool) error {
	want := int64(len(r.events))
	if positioned {
		if want > 0 && e.Seq <= r.last {
			return fmt.Errorf("seq %d after seq %d", e.Seq, r.last)
		}
		r.last = e.Seq
		if e.Seq != want {
			r.notice(fmt.Sprintf("seq %d became %d", e.Seq, want))
			r.moved = true
		}
		r.seqs[e.Seq] = want
		e.Seq = want
	}
	if r.moved {
		return r.moveReferences(e)
	}
	if e.SurfaceOp != nil && !e.SurfaceOp.Replace && len(e.SourceEventSeqs) > 0 && checkSources(*e) != nil {
		r.notice("sourceEventSeqs does not hold and was dropped: " + checkSources(*e).Error())
		e.SourceEventSeqs, e.HasSources = nil, false
	}
	return nil
}

func (r *logReader) moveReferences(e *Event) error {
	move := func(seq int64) (int64, error) {
		moved, there := r.seqs[seq]
		if !there {
			return 0, fmt.Errorf("event %d names event %d, which is not in the log", e.Seq, seq)
		}
		return moved, nil
	}
	if e.SurfaceOp != nil && e.SurfaceOp.Replace {
		start, err := move(e.SurfaceOp.Start)
		if err != nil {
			return err
		}
		end, err := move(e.SurfaceOp.End)
		if err != nil {
			return err
		}
		e.SurfaceOp = &SurfaceOp{Replace: true, Start: start, End: end}
	}
	for i, seq := range e.SourceEventSeqs {
		moved, err := move(seq)
		if err != nil {
			r.notice("sourceEventSeqs does not hold and was dropped: " + err.Error())
			e.SourceEventSeqs, e.HasSources = nil, false
			break
		}
		e.SourceEventSeqs[i] = moved
	}
	return nil
}

func (r *logReader) notice(change string) {
	if r.options.Notice != nil {
		r.options.Notice(max(r.number, 1), change)
	}
}

// Write writes a whole log: the header line, then the events as storage rows. It writes what it is given: Validate first if in doubt.
func Write(w io.Writer, h Header, events []Event, o WriteOptions) error {
	line, err := h.MarshalJSON()
	if err != nil {
		return fmt.Errorf("session: write header: %w", err)
	}
	out := bufio.NewWriter(w)
	if _, err := out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("session: write: %w", err)
	}
	var rows []byte
	for start := 0; start < len(events); {
		end := start + 1
		if o.Pack {
			end = start + runLength(events[start:])
		}
		if rows, err = AppendRows(rows[:0], events[start:end], o); err != nil {
			return err
		}
		if _, err := out.Write(rows); err != nil {
			return fmt.Errorf("session: write: %w", err)
		}
		start = end
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("session: write: %w", err)
	}
	return nil
}
