package session

// TurnPage picks a page of whole turns, counted backwards: the events in [start,end) of a whole log, at most turns turns, ending before
// beforeSeq (negative: at the end of the log). A page starts at a turn/start, or at 0 when no older turn is left; so what happened between
// two turns is on the page of the older one, and what came before the first turn on the oldest page. A beforeSeq inside a turn counts what
// is before it as one turn. hasMore says whether older events are left. turns below 1 counts as 1.
func TurnPage(events []Event, beforeSeq int64, turns int) (start, end int64, hasMore bool) {
	end = int64(len(events))
	if beforeSeq >= 0 && beforeSeq < end {
		end = beforeSeq
	}
	turns = max(turns, 1)
	for i := end - 1; i >= 0; i-- {
		if events[i].Type != TypeTurnStart {
			continue
		}
		if turns == 0 {
			return start, end, true
		}
		start = i
		turns--
	}
	// No older turn is left: the page takes the events before the first one too.
	return 0, end, false
}
