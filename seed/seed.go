// Package seed puts sessions into a store as if they had been there for long: cold sessions, which a host finds when it starts.
//
// Session takes the text of a fixture (a whole log, as session.Read reads it leniently) and goes through the store's real Create and
// Append, so that what a host finds is what a host could have written:
//
//	header, err := seed.Session(ctx, store, text, seed.Options{SessionID: "session-…", Cwd: workspace, LastActivity: yesterday})
//
// The same input always gives the same stored events. Do not seed below a host that is running: it may have listed the store already.
package seed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/session"
)

// Options says what the seeded session shall be.
type Options struct {
	SessionID string // its id; "" keeps the fixture's, or takes one from Clock where the fixture has a token
	Cwd       string // its working directory, absolute
	// LastActivity is the time of the last event; the others keep their distances to it. Events of a fixture without times are one
	// millisecond apart. The file's own time is set to it too, because a session list may go by that. Zero means the Clock's now.
	LastActivity time.Time
	// AllowOpen accepts a log whose last turn is open, or that has no turn. Loading it will close the turn.
	AllowOpen bool
	// Values fill further tokens: the name without braces → its value.
	Values map[string]string
	// Clock gives ids (and the time, see LastActivity). nil is clock.System.
	Clock clock.Clock
	// Notice, if set, is told what the lenient reading of the fixture changed.
	Notice func(line int, change string)
}

// Session stores one session, which no host has open then, and returns its header. An error says what is wrong, and where it can, in which line of the text; nothing was
// stored then.
func Session(ctx context.Context, store persistence.Store, text []byte, o Options) (session.Header, error) {
	header, events, err := prepare(text, &o)
	if err != nil {
		return session.Header{}, fmt.Errorf("seed: %w", err)
	}
	if err := put(ctx, store, header, events); err != nil {
		return session.Header{}, fmt.Errorf("seed: %w", err)
	}
	if err := store.Release(ctx, header.ID); err != nil {
		return session.Header{}, fmt.Errorf("seed: %w", err)
	}
	if err := os.Chtimes(store.Locate(header), o.LastActivity, o.LastActivity); err != nil && !errors.Is(err, os.ErrNotExist) {
		return session.Header{}, fmt.Errorf("seed: date the log back: %w", err)
	}
	return header, nil
}

func put(ctx context.Context, store persistence.Store, header session.Header, events []session.Event) error {
	if err := store.Create(ctx, header); err != nil {
		return err
	}
	if len(events) == 0 {
		return nil
	}
	if err := store.Append(ctx, header.ID, events); err != nil {
		return errors.Join(err, store.Delete(ctx, header.ID))
	}
	return nil
}

// prepare makes the header and events that are to be stored.
func prepare(text []byte, o *Options) (session.Header, []session.Event, error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.LastActivity.IsZero() {
		o.LastActivity = o.Clock.Now()
	}
	if !filepath.IsAbs(o.Cwd) {
		return session.Header{}, nil, fmt.Errorf("cwd %q is not an absolute path", o.Cwd)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return session.Header{}, nil, errors.New("line 1: the fixture is empty")
	}
	id, err := sessionID(text, o)
	if err != nil {
		return session.Header{}, nil, err
	}
	filled, err := fill(text, id, o)
	if err != nil {
		return session.Header{}, nil, err
	}
	header, events, err := session.Read(bytes.NewReader(filled), session.ReadOptions{Lenient: true, Notice: o.Notice})
	if err != nil {
		return session.Header{}, nil, err
	}
	if err := checkComplete(filled, header, events, o.AllowOpen); err != nil {
		return session.Header{}, nil, err
	}
	created := retime(header.CreatedAt, events, o.LastActivity.UnixMilli())
	header.Version, header.ID, header.CreatedAt = session.Version, id, created
	if header.Cwd == "" || !filepath.IsAbs(header.Cwd) {
		header.Cwd = o.Cwd
	}
	return header, events, header.Validate()
}

var token = regexp.MustCompile(`\{\{([A-Za-z][A-Za-z0-9-]*)\}\}`)

// sessionID is the id the session gets.
func sessionID(text []byte, o *Options) (string, error) {
	if o.SessionID != "" {
		return o.SessionID, nil
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte{'\n'})
	header, err := session.ParseHeader(bytes.TrimSpace(line), session.ReadOptions{Lenient: true})
	if err != nil {
		return "", fmt.Errorf("line 1: %w", err)
	}
	if token.MatchString(header.ID) {
		return "session-" + o.Clock.NewID(), nil
	}
	return header.ID, nil
}

// fill replaces the tokens. Each {{rpcId}} is an id of its own, numbered in order, so that the result does not depend on chance. Tokens that
// stand for what is not part of a stored session's behaviour ({{system}}, {{tools}}) and tokens nobody knows stay.
func fill(text []byte, id string, o *Options) ([]byte, error) {
	rpcIDs := 0
	var failure error
	filled := token.ReplaceAllFunc(text, func(found []byte) []byte {
		name := string(found[2 : len(found)-2])
		value, given := o.Values[name]
		switch {
		case given:
		case name == "sessionId":
			value = id
		case name == "cwd":
			value = o.Cwd
		case name == "rpcId":
			rpcIDs++
			value = fmt.Sprintf("seeded-rpc-%d", rpcIDs)
		default:
			return found
		}
		quoted, err := quoteInside(value)
		failure = errors.Join(failure, err)
		return quoted
	})
	return filled, failure
}

// quoteInside escapes a value for the inside of a JSON string. (A token inside arguments that are JSON in a JSON string would need it twice;
// paths and ids have nothing to escape in practice, so that case is refused.)
func quoteInside(value string) ([]byte, error) {
	quoted, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	inside := quoted[1 : len(quoted)-1]
	if !bytes.Equal(inside, []byte(value)) {
		return nil, fmt.Errorf("token value %q needs escapes in JSON", value)
	}
	return inside, nil
}

// checkComplete demands a log that opening leaves as it is: its last turn is ended.
func checkComplete(text []byte, header session.Header, events []session.Event, allowOpen bool) error {
	if allowOpen {
		return nil
	}
	if len(events) == 0 {
		return errors.New("line 1: the fixture has a header and no events")
	}
	state := session.Project(header, events)
	switch {
	case state.Blank:
		return fmt.Errorf("line %d: the log has no turn (allow that with AllowOpen)", lines(text))
	case state.OpenTurn != 0:
		return fmt.Errorf("line %d: the log ends with %s inside turn %d, not after a turn/end (allow that with AllowOpen)",
			lines(text), events[len(events)-1].Type, state.OpenTurn)
	}
	return nil
}

// lines is the number of the last line that is not empty.
func lines(text []byte) int { return bytes.Count(bytes.TrimSpace(text), []byte{'\n'}) + 1 }

// retime moves the events so that the last one happened at last, and gives the time the session was created, which is not after the first
// event.
func retime(created int64, events []session.Event, last int64) int64 {
	if len(events) == 0 {
		return last
	}
	timed := false
	for _, e := range events {
		timed = timed || e.Time != 0
	}
	end := len(events) - 1
	latest := events[end].Time
	for i := range events {
		if timed {
			events[i].Time += last - latest
		} else {
			events[i].Time = last - int64(end-i)
		}
	}
	distance := latest - created
	if !timed || distance < 0 {
		distance = last - events[0].Time
	}
	return max(min(last-distance, events[0].Time), 0)
}
