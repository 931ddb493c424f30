package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"chart": draw}).Parse(pageSource))

// writePage writes the comparison as one HTML page that needs nothing else.
func writePage(path string, c comparison) error {
	type row struct {
		Name  string
		Lines []line
	}
	var rows []row
	for _, l := range c.Lines {
		if len(rows) == 0 || rows[len(rows)-1].Name != l.Row {
			rows = append(rows, row{Name: l.Row})
		}
		last := &rows[len(rows)-1]
		last.Lines = append(last.Lines, l)
	}
	var text bytes.Buffer
	err := pageTemplate.Execute(&text, map[string]any{"Comparison": c, "Rows": rows, "Before": c.Before.machine(), "After": c.After.machine()})
	if err == nil {
		err = os.WriteFile(path, text.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("bench: writing the page: %w", err)
	}
	return nil
}

// Of a chart, in its own pixels.
const (
	chartWidth  = 420
	chartMargin = 8
)

// A dot is one sample, or a line from one place to another.
type dot struct{ X, Y float64 }

// A chart shows the samples of both sides on one scale that begins at 0.
type chart struct {
	Width, Margin        int
	Before, After        []dot
	MedianOld, MedianNew float64 // places
	Most                 string  // what the scale ends with
}

func draw(l line) chart {
	most := max(l.Before[len(l.Before)-1], l.After[len(l.After)-1])
	place := func(value float64) float64 {
		if most == 0 {
			return chartMargin
		}
		return chartMargin + value/most*(chartWidth-2*chartMargin)
	}
	c := chart{Width: chartWidth, Margin: chartMargin, MedianOld: place(l.medianBefore()), MedianNew: place(l.medianAfter()), Most: fmt.Sprintf("%.4g %s", most, l.Unit)}
	for _, value := range l.Before {
		c.Before = append(c.Before, dot{place(value), 10})
	}
	for _, value := range l.After {
		c.After = append(c.After, dot{place(value), 26})
	}
	return c
}

// Change is what the page says beside a chart.
func (l line) Change() string {
	return fmt.Sprintf("%.1f → %.1f %s", l.medianBefore(), l.medianAfter(), l.Unit)
}

// Quotient is what the table says of the change.
func (l line) Quotient() string { return l.quotient() }

// Class is how the page paints a verdict.
func (l line) Class() string {
	if l.Verdict == few {
		return "few"
	}
	return string(l.Verdict)
}
