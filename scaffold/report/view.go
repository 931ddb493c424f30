package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
)

// view is the report as the template shows it: shortened, sorted, with classes.
type view struct {
	Scenario   string
	Started    string
	Failures   []string
	States     []stateView
	Screenshot imageView
	Timeline   []entryView
	Console    listView
	Network    listView
	Logs       []Log
	Commands   []Command
	Omitted    string // of the timeline
}

type imageView struct {
	URL  template.URL
	Note string
}

type stateView struct {
	Name       string
	Diff       []lineView
	Screenshot imageView
}

type lineView struct{ Class, Text string }

type entryView struct{ Time, Source, Text string }

type listView struct {
	Lines   []string
	Omitted string
}

// The frame of one line in the file, at most.
const (
	diffFrame  = len("<span class=\"same\">\n</span>")
	entryFrame = len("<tr><td></td><td></td><td></td></tr>\n") + 20 // with the time
)

// maxParts bounds the number of failures, states, logs and commands: beyond it, nobody reads on.
const maxParts = 100

func newView(r Report) view {
	v := view{Scenario: head(r.Scenario)}
	if !r.Started.IsZero() {
		v.Started = r.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	room := failureShare
	for _, failure := range r.Failures[:min(len(r.Failures), maxParts)] {
		v.Failures = append(v.Failures, tail(failure, &room))
	}
	room = commandShare
	for _, command := range r.Commands[:min(len(r.Commands), maxParts)] {
		v.Commands = append(v.Commands, Command{head(command.Purpose), tail(command.Line, &room)})
	}
	pictures, diffs := pictureShare, diffShare
	v.Screenshot.URL, v.Screenshot.Note = image(r.Screenshot, &pictures)
	for _, state := range r.States[:min(len(r.States), maxParts)] {
		s := stateView{Name: head(state.Name)}
		lines := max(0, diffs) / (2 * diffFrame) // half of the room for frames
		half := diffs / 2
		text := tail(state.Diff, &half)
		diffs -= diffs/2 - half
		for line := range strings.Lines(text) {
			if len(s.Diff) == lines {
				s.Diff = append(s.Diff, lineView{Class: "hunk", Text: "[the rest is left out]"})
				break
			}
			line = strings.TrimSuffix(line, "\n")
			s.Diff = append(s.Diff, lineView{Class: class(line), Text: line})
			diffs -= diffFrame
		}
		s.Screenshot.URL, s.Screenshot.Note = image(state.Screenshot, &pictures)
		v.States = append(v.States, s)
	}
	timeline := slices.Clone(r.Timeline)
	slices.SortStableFunc(timeline, func(a, b Entry) int { return a.Time.Compare(b.Time) })
	timeline, v.Omitted = last(timeline, timelineShare, func(e Entry) int { return cost(head(e.Text)) + cost(head(e.Source)) + entryFrame })
	for _, e := range timeline {
		v.Timeline = append(v.Timeline, entryView{offset(r.Started, e.Time), head(e.Source), head(e.Text)})
	}
	v.Console, v.Network = lines(r.Console, consoleShare), lines(r.Network, networkShare)
	room = logShare
	for _, log := range r.Logs[:min(len(r.Logs), maxParts)] {
		v.Logs = append(v.Logs, Log{head(log.Name), tail(log.Text, &room)})
	}
	return v
}

func class(line string) string {
	switch {
	case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		return "file"
	case strings.HasPrefix(line, "@@"):
		return "hunk"
	case strings.HasPrefix(line, "-"):
		return "old"
	case strings.HasPrefix(line, "+"):
		return "new"
	}
	return "same"
}

// offset shows a time as seconds since the start, or as a clock when there is no start.
func offset(start, at time.Time) string {
	switch {
	case at.IsZero():
		return ""
	case start.IsZero():
		return at.UTC().Format("15:04:05.000")
	}
	return fmt.Sprintf("%+.3f s", at.Sub(start).Seconds())
}

// last keeps as much of the end of a list as the room allows.
func last[T any](list []T, room int, price func(T) int) (kept []T, omitted string) {
	first := len(list)
	for first > 0 {
		if room -= price(list[first-1]); room < 0 {
			break
		}
		first--
	}
	if first > 0 {
		omitted = fmt.Sprintf("The first %d lines are left out.", first)
	}
	return list[first:], omitted
}

func lines(all []string, room int) listView {
	kept, omitted := last(all, room, func(line string) int { return cost(head(line)) + 1 })
	v := listView{Omitted: omitted}
	for _, line := range kept {
		v.Lines = append(v.Lines, head(line))
	}
	return v
}
