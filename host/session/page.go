package session

import "slices"

// TurnPage picks a page of whole turns, counted backwards: the events in [start,end) of a whole log, at most turns turns, ending before
// beforeSeq (negative: at the end of the log). A page starts at a turn/start, or at 0 when no older turn is left; so what happened between
// two turns is on the page of the older one, and what came before the first turn on the oldest page. A beforeSeq inside a turn counts what
// is before it as one turn. hasMore says whether older events are left. turns below 1 counts as 1.
func TurnPage(events []Event, beforeSeq int64, turns int) (start, end int64, hasMore bool) {
	var starts []int64
	for i, e := range events {
		if e.Type == TypeTurnStart {
			starts = append(starts, int64(i))
		}
	}
	return PageOf(starts, int64(len(events)), beforeSeq, turns)
}

// PageOf is TurnPage for a log of which only the seqs of its turn/start events, ascending, and its length are known.
func PageOf(starts []int64, length, beforeSeq int64, turns int) (start, end int64, hasMore bool) {
	end = length
	if beforeSeq >= 0 && beforeSeq < end {
		end = beforeSeq
	}
	before, _ := slices.BinarySearch(starts, end) // turns that start before the page ends
	if turns = max(turns, 1); before > turns {
		return starts[before-turns], end, true
	}
	// No older turn is left: the page takes the events before the first one too.
	return 0, end, false
}
