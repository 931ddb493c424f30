package composition

import (
	"fmt"
	"strings"
)

// Report is what became of the rows: each is in exactly one of the lists, Started
// in start order, the others in the order in which they were found out.
type Report struct {
	Started  []RowInfo
	Failed   []Failed
	Pending  []Pending
	Disabled []Off
}

// Failed is a row that did not start.
type Failed struct {
	Row RowInfo
	// Reason is what its plugin said, and what could not be disposed of what had begun.
	Reason string
	// Place is what it objected to where it named a key of its config, else where the row was written.
	Place string
}

// Pending is a row that waits for services nobody provides.
type Pending struct {
	Row RowInfo
	// Waits names the services, Reasons says for each why it is not there.
	Waits   []string
	Reasons []string
}

// Off is a row that is disabled.
type Off struct {
	Row RowInfo
	// By is the layer that disabled it.
	By string
}

// State is what became of a row.
type State string

// The states.
const (
	StateStarted  State = "started"
	StateFailed   State = "failed"
	StatePending  State = "pending"
	StateDisabled State = "disabled"
)

// RowReport is what a Report says of one row.
type RowReport struct {
	RowInfo
	State State
	// Reason says why the row does not run, a sentence without its subject; empty of one that runs.
	Reason string
	// Blamed is where that can be mended, "file:line:column"; Place unless the row's plugin named a key.
	Blamed string
}

// Rows returns every row: what failed, what waits, what runs, what is disabled.
func (r Report) Rows() []RowReport {
	out := make([]RowReport, 0, len(r.Failed)+len(r.Pending)+len(r.Started)+len(r.Disabled))
	for _, f := range r.Failed {
		out = append(out, RowReport{f.Row, StateFailed, f.Reason, f.Place})
	}
	for _, p := range r.Pending {
		out = append(out, RowReport{p.Row, StatePending, "waits for " + strings.Join(p.Reasons, " and "), p.Row.Place})
	}
	for _, row := range r.Started {
		out = append(out, RowReport{row, StateStarted, "", row.Place})
	}
	for _, off := range r.Disabled {
		out = append(out, RowReport{off.Row, StateDisabled, "disabled by " + off.By, off.Row.Place})
	}
	return out
}

// Problems is one line per row that should run and does not, for a person; empty when there is none.
func (r Report) Problems() string {
	var b strings.Builder
	for _, row := range r.Rows() {
		switch row.State {
		case StateFailed:
			fmt.Fprintf(&b, "%s: row %q did not start: %s\n", row.Blamed, row.ID, row.Reason)
		case StatePending:
			fmt.Fprintf(&b, "%s: row %q %s\n", row.Blamed, row.ID, row.Reason)
		}
	}
	return b.String()
}

// String is Problems, and a line for each row that is disabled.
func (r Report) String() string {
	var b strings.Builder
	b.WriteString(r.Problems())
	for _, off := range r.Disabled {
		fmt.Fprintf(&b, "%s: row %q is disabled\n", off.Row.Place, off.Row.ID)
	}
	return b.String()
}
