package files

import "strings"

const (
	// diffContext is how many unchanged lines stand around a change.
	diffContext = 3
	// diffLines is how many lines a card has at most.
	diffLines = 2000
	// diffCells bounds the work of comparing: the product of the changed stretches' lines.
	diffCells = 1 << 20
)

// diffCard is what the page shows of a change.
type diffCard struct {
	Card      string `json:"card"` // "diff"
	Path      string `json:"path"`
	Action    string `json:"action"` // "created", "overwritten" or "edited"
	Added     int    `json:"added"`  // lines, also of what is cut
	Removed   int    `json:"removed"`
	Truncated bool   `json:"truncated,omitempty"`
	Hunks     []hunk `json:"hunks"`
}

// hunk is one place of a change. Lines begin with " " (unchanged), "-" (removed), "+" (added) or "\" (the line before has no end).
type hunk struct {
	OldStart int      `json:"oldStart"` // number of the first line, counted from 1
	NewStart int      `json:"newStart"`
	Lines    []string `json:"lines"`
}

// step is one line of the way from the old text to the new one.
type step struct {
	sign byte
	line string
}

func diffOf(name, action, before, after string) diffCard {
	card := diffCard{Card: "diff", Path: name, Action: action, Hunks: []hunk{}}
	steps := compare(split(before), split(after))
	for _, s := range steps {
		switch s.sign {
		case '+':
			card.Added++
		case '-':
			card.Removed++
		}
	}
	kept := 0
	for _, h := range hunks(steps) {
		if room := diffLines - kept; len(h.Lines) > room {
			h.Lines = h.Lines[:room]
			card.Truncated = true
		}
		if len(h.Lines) > 0 {
			card.Hunks = append(card.Hunks, h)
		}
		kept += len(h.Lines)
	}
	return card
}

// compare finds a shortest way from old to new, or where that would take too long the plain one: all old lines out, all new ones in.
func compare(old, new []string) []step {
	var steps []step
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		steps = append(steps, step{' ', old[start]})
		start++
	}
	end := 0
	for end < len(old)-start && end < len(new)-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	steps = append(steps, middle(old[start:len(old)-end], new[start:len(new)-end])...)
	for _, line := range old[len(old)-end:] {
		steps = append(steps, step{' ', line})
	}
	return steps
}

func middle(old, new []string) []step {
	var steps []step
	i, j := 0, 0
	if len(old)*len(new) <= diffCells {
		common := commonLengths(old, new)
		for i < len(old) && j < len(new) {
			switch {
			case old[i] == new[j]:
				steps = append(steps, step{' ', old[i]})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				steps = append(steps, step{'-', old[i]})
				i++
			default:
				steps = append(steps, step{'+', new[j]})
				j++
			}
		}
	}
	for ; i < len(old); i++ {
		steps = append(steps, step{'-', old[i]})
	}
	for ; j < len(new); j++ {
		steps = append(steps, step{'+', new[j]})
	}
	return steps
}

// commonLengths[i][j] is how many lines old[i:] and new[j:] have in common, in order.
func commonLengths(old, new []string) [][]int32 {
	table := make([][]int32, len(old)+1)
	cells := make([]int32, (len(old)+1)*(len(new)+1))
	for i := range table {
		table[i], cells = cells[:len(new)+1], cells[len(new)+1:]
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

// hunks cuts the way into places: changes and the lines around them.
func hunks(steps []step) []hunk {
	var all []hunk
	oldLine, newLine, end := 1, 1, 0 // end: steps before it are in a hunk
	for i, s := range steps {
		if s.sign != ' ' {
			start := max(i-diffContext, end)
			if len(all) == 0 || start > end {
				back := i - start
				all = append(all, hunk{OldStart: oldLine - back, NewStart: newLine - back})
			} else {
				start = end
			}
			stop := min(max(i+1+diffContext, end), len(steps))
			last := &all[len(all)-1]
			for _, shown := range steps[start:stop] {
				last.add(shown)
			}
			end = stop
		}
		if s.sign != '+' {
			oldLine++
		}
		if s.sign != '-' {
			newLine++
		}
	}
	return all
}

func (h *hunk) add(s step) {
	text, ended := strings.CutSuffix(s.line, "\n")
	h.Lines = append(h.Lines, string(s.sign)+shorten(strings.TrimSuffix(text, "\r"), maxLineBytes))
	if !ended {
		h.Lines = append(h.Lines, `\ no newline at the end`)
	}
}
