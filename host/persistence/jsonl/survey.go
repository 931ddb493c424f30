package jsonl

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"keylane/host/persistence"
	"keylane/host/session"
)

// How far apart the marks of a survey are, at least: what has to be read to get at an event is at most a little more than that.
const (
	markBytes  = 64 << 10
	markEvents = 512
)

// fingerprintBytes is how much of the end of what was surveyed must be unchanged to go on from there.
const fingerprintBytes = 4 << 10

// mark is a place in a file where reading can begin, because a frame (or an uncompressed line) starts there.
type mark struct {
	At  int64 `json:"at"`  // byte
	Seq int64 `json:"seq"` // of the first event after it
	Row int   `json:"row"` // lines before it, the header's included
}

// survey is what one pass over a file tells, in memory that hardly grows with it: where things are and what they amount to.
type survey struct {
	Header   session.Header    `json:"header"`
	Marks    []mark            `json:"marks"`  // in order
	Starts   []int64           `json:"starts"` // seqs of the turn/start events
	Follower *session.Follower `json:"follower"`
	End      mark              `json:"end"` // where the file's sound part ends, with everything of the log before it
	// Damage is set when the log cannot be read beyond End. Cut is set (else -1) when only a torn end follows End: the file must be cut
	// there to go on. In both cases the last Rest events stand in the piece after End and have to be written again after such a cut.
	Damage *persistence.Damage `json:"damage,omitempty"`
	Cut    int64               `json:"cut"`
	Rest   int64               `json:"rest,omitempty"`
}

func (v *survey) length() int64 { return v.Follower.Length() }

// add takes the next event of the log.
func (v *survey) add(e session.Event) {
	if e.Type == session.TypeTurnStart {
		v.Starts = append(v.Starts, e.Seq)
	}
	v.Follower.Add(e)
}

// begin notes that a piece of the file starts at the end of what is known, and makes a mark of it where the last one is far away.
func (v *survey) begin() {
	if n := len(v.Marks); n == 0 || v.End.At-v.Marks[n-1].At >= markBytes || v.End.Seq-v.Marks[n-1].Seq >= markEvents {
		v.Marks = append(v.Marks, v.End)
	}
}

// markBefore is the last mark at or before an event.
func (v *survey) markBefore(seq int64) mark {
	found := v.Marks[0]
	for _, m := range v.Marks {
		if m.Seq > seq {
			break
		}
		found = m
	}
	return found
}

// pass reads a file from a mark on into a survey.
//
// A line that does not parse, or does not continue the seqs, is the torn end of the log unless a whole turn comes after it: then it is
// damage. A frame that is whole and does not decompress, and a row that breaks the rules of a log, are damage always: no crash makes them.
type pass struct {
	into    *survey
	path    string
	size    int64
	checker *session.Checker    // if set, judges the events by all that came before them
	keep    func(session.Event) // if set, gets every event
	again   bool                // an earlier pass has judged these events, and the survey of this one is thrown away

	row       int // of the last line
	bad       *persistence.Damage
	certain   bool // bad is damage whatever comes after it
	turnAfter bool // a whole turn comes after bad
	torn      bool
}

// startPiece says that a frame or a plain line starts at byte at.
func (p *pass) startPiece(at int64) {
	if p.bad == nil && !p.torn {
		p.into.End = mark{at, p.into.length(), p.row}
		p.into.begin()
	}
}

// fail says that the row is no good, or the whole piece when row is 0.
func (p *pass) fail(row int, certain bool, reason error) {
	if p.bad != nil {
		return
	}
	if row == 0 {
		row = p.row + 1
	}
	end := p.into.End
	p.certain = certain
	p.bad = &persistence.Damage{Path: p.path, Row: row, Byte: end.At, Seq: p.into.length(), LostBytes: p.size - end.At, Reason: reason.Error()}
}

func (p *pass) line(line []byte) {
	p.row++
	if blank(line) {
		return
	}
	events, err := session.DecodeRow(line, p.into.length(), session.ReadOptions{})
	if p.bad != nil {
		p.bad.LostRows++
		for _, e := range events {
			p.turnAfter = p.turnAfter || e.Type == session.TypeTurnEnd
		}
		return
	}
	if err == nil && events[0].Seq != p.into.length() {
		err = fmt.Errorf("seq %d where %d must follow", events[0].Seq, p.into.length())
	}
	if err != nil {
		p.fail(p.row, false, err)
		p.bad.LostRows++
		return
	}
	for _, e := range events {
		if p.again {
			p.into.Follower.Pass(e)
			p.keep(e)
			continue
		}
		check := p.into.Follower.Check
		if p.checker != nil {
			check = p.checker.Add
		}
		if err := check(e); err != nil {
			p.fail(p.row, true, err)
			p.bad.LostRows++
			return
		}
		p.into.add(e)
		if p.keep != nil {
			p.keep(e)
		}
	}
}

// tooLong takes a row that is longer than any that was written.
func (p *pass) tooLong() {
	p.row++
	p.fail(p.row, true, fmt.Errorf("the row is longer than %d bytes", int64(maxRow)))
	p.bad.LostRows++
}

func blank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}

// finish judges what the pass has found.
func (p *pass) finish() {
	v := p.into
	v.Cut, v.Rest, v.Damage = -1, 0, nil
	switch {
	case p.bad != nil && (p.certain || p.turnAfter):
		v.Damage = p.bad
	case p.bad != nil || p.torn:
		v.Cut = v.End.At
	default:
		v.End = mark{p.size, v.length(), p.row}
		return
	}
	v.Rest = v.length() - v.End.Seq
}

// whole makes a pass over all of an open file.
func (s *Store) whole(ctx context.Context, file io.ReaderAt, path string, size int64, set func(*pass)) (*survey, error) {
	header, first, err := s.readHead(file, size)
	if err != nil {
		return nil, err
	}
	v := &survey{Header: header, Follower: session.Follow(header), End: mark{At: first, Row: 1}, Cut: -1}
	p := &pass{into: v, path: path, size: size}
	if set != nil {
		set(p)
	}
	return v, s.run(ctx, file, p)
}

// run makes the pass from the end of what the survey knows to the end of the file.
func (s *Store) run(ctx context.Context, file io.ReaderAt, p *pass) error {
	p.row = p.into.End.Row
	var err error
	if s.compressed {
		err = s.frames(ctx, file, p.into.End.At, p.size, p)
	} else {
		err = lines(ctx, file, p.into.End.At, p.size, p)
	}
	if err != nil {
		return err
	}
	if len(p.into.Marks) == 0 {
		p.into.begin()
	}
	p.finish()
	return nil
}

// readAll reads a whole file, with everything judged by everything before it; set, which may be nil, has the pass keep events.
func (s *Store) readAll(ctx context.Context, path string, set func(*pass)) (*survey, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // opened to read: nothing can be lost
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return s.whole(ctx, file, path, info.Size(), func(p *pass) {
		p.checker = session.NewChecker()
		if set != nil {
			set(p)
		}
	})
}

// errMoved says that a survey and its file do not agree.
var errMoved = errors.New("the file is not what the index says")

// events reads the events with seq in [start,end) of a surveyed file.
func (s *Store) events(ctx context.Context, file io.ReaderAt, path string, size int64, v *survey, start, end int64) ([]session.Event, error) {
	out := make([]session.Event, 0, end-start)
	if start >= end {
		return out, nil
	}
	from := v.markBefore(start)
	local := &survey{Header: v.Header, Follower: session.FollowFrom(v.Header, from.Seq), End: from, Cut: -1}
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	p := &pass{into: local, path: path, size: size, again: true, keep: func(e session.Event) {
		if e.Seq >= start && e.Seq < end {
			out = append(out, e)
		}
		if e.Seq >= end-1 {
			enough()
		}
	}}
	err := s.run(ctx, file, p)
	switch {
	case int64(len(out)) == end-start:
		return out, nil
	case err != nil:
		return nil, err
	}
	return nil, errMoved
}

// fingerprint is a checksum of the last bytes before a place in a file.
func fingerprint(file io.ReaderAt, end int64) (uint32, error) {
	from := max(0, end-fingerprintBytes)
	text := make([]byte, end-from)
	if err := readAt(file, text, from); err != nil {
		return 0, err
	}
	return crc32.ChecksumIEEE(text), nil
}
