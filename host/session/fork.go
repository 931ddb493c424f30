package session

import "errors"

// ErrForkUnavailable says that a log has no completed turn at the place where it was to be forked.
var ErrForkUnavailable = errors.New("session: no completed turn to fork at")

// ForkLength is how many leading events a fork of the log inherits: up to the end of the turn that contains event atSeq (or, for a seq
// between two turns, of the next one), and with it what stands after that turn and before the next, such as the title it was given. A
// negative atSeq, or one past the end, means the last completed turn. A turn that is still open cannot be forked: ErrForkUnavailable.
func ForkLength(events []Event, atSeq int64) (int64, error) {
	end := int64(-1)
	for i, e := range events {
		if e.Type != TypeTurnEnd {
			continue
		}
		end = int64(i)
		if atSeq >= 0 && atSeq < int64(len(events)) && end >= atSeq {
			break
		}
	}
	if end < 0 || atSeq >= 0 && atSeq < int64(len(events)) && end < atSeq {
		return 0, ErrForkUnavailable
	}
	for end++; end < int64(len(events)) && events[end].Type != TypeTurnStart; end++ {
	}
	return end, nil
}
