package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// printTable writes the comparison as text, row by row.
func printTable(w io.Writer, c comparison) error {
	out := bufio.NewWriter(w)
	for _, warning := range c.Warnings {
		fmt.Fprintf(out, "warning: %s\n", warning)
	}
	row := ""
	for _, l := range c.Lines {
		if l.Row != row {
			row = l.Row
			fmt.Fprintf(out, "\n%s\n", row)
		}
		fmt.Fprintf(out, "  %-52s %10.1f → %10.1f %-5s  %s  %s\n", l.Figure, l.medianBefore(), l.medianAfter(), l.Unit, l.quotient(), l.Verdict)
	}
	for i, missing := range c.Missing {
		if i == 0 {
			fmt.Fprintf(out, "\nnot compared:\n")
		}
		fmt.Fprintf(out, "  %s\n", missing)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("bench: writing the table: %w", err)
	}
	return nil
}

// quotient is the change in words: ×1.20 [1.10, 1.31].
func (l line) quotient() string {
	if math.IsNaN(l.Ratio) {
		return "×   –  [   –,    –]"
	}
	return fmt.Sprintf("×%5.2f [%5.2f,%5.2f]", l.Ratio, l.From, l.To)
}
