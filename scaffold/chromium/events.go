package chromium

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Source says where an [Event] comes from.
type Source struct {
	// Page is the id of the page, also for its frames and dedicated workers; empty for shared and service workers, which belong to the whole context.
	Page string
	// Kind is the protocol's target type: page, iframe, worker, shared_worker, service_worker.
	Kind string
	// URL is the address of the document or of the worker's script.
	URL string
}

// Event is one thing that Chromium reported, in the order of arrival.
type Event struct {
	// Number counts the events of the feed from 1, without gaps.
	Number int
	// Time is when it arrived here.
	Time   time.Time
	Source Source
	Data   Data
}

// String is one line for people.
func (e Event) String() string {
	from := e.Source.Kind
	if from != "page" {
		from += " " + e.Source.URL
	}
	return fmt.Sprintf("%s: %s", from, e.Data)
}

// Data is what an event carries: one of the types below.
type Data interface {
	fmt.Stringer
	isData()
}

type (
	// PageError is an exception or a rejection that nobody caught.
	PageError struct {
		Text  string // message and stack
		Place string // url:line:column, 1-based; empty when unknown
	}
	// Console is a line that the console shows: written by the page, or by Chromium about the page (a failed request, a blocked script).
	Console struct {
		Level ConsoleLevel
		Text  string
		Place string
		// Reporter is "page" for a console call, otherwise Chromium's part that says so (network, security, ...).
		Reporter string
	}
	// Violation is a breach of the content security policy.
	Violation struct {
		Directive  string // violated directive, such as script-src-elem
		Blocked    string // URL or "inline", "eval", ...
		Place      string
		ReportOnly bool
	}
	// Request is a network request at its start; a redirect is another one with the same ID.
	Request struct {
		ID     string
		Method string
		URL    string
		Type   string // Document, Fetch, EventSource, Script, ...
	}
	// Response is the arrival of a request's status and headers. A stream gets here long before its end.
	Response struct {
		Request Request
		Status  int
	}
	// RequestEnd is the end of a request; Failure is empty when it was answered in full.
	RequestEnd struct {
		Request  Request
		Status   int // 0 when no response came
		Failure  string
		Canceled bool // by the page: a reload, an abort
	}
	// Navigation is a new document, or a new address of the same one, in the main frame.
	Navigation struct {
		URL          string
		SameDocument bool
	}
	// Dialog is an alert, confirm, prompt or beforeunload; it was answered at once (beforeunload: leave, others: dismiss).
	Dialog struct {
		Type string
		Text string
	}
	// RootAttribute is a change of an observed attribute of the root element.
	RootAttribute struct {
		Name    string
		Value   string
		Present bool
	}
	// Crash is the end of a page's or worker's process while it was in use.
	Crash struct{ Reason string }
	// Blind says that a target could not be observed. Tripwires must treat it as a failure: nobody knows what it did.
	Blind struct{ Reason string }
)

// ConsoleLevel is the severity of a [Console] line.
type ConsoleLevel string

// The levels, from the console method or the entry's severity. Other console calls (dir, table, ...) are Info.
const (
	Debug   ConsoleLevel = "debug"
	Info    ConsoleLevel = "info"
	Warning ConsoleLevel = "warning"
	Error   ConsoleLevel = "error"
)

func (PageError) isData()     {}
func (Console) isData()       {}
func (Violation) isData()     {}
func (Request) isData()       {}
func (Response) isData()      {}
func (RequestEnd) isData()    {}
func (Navigation) isData()    {}
func (Dialog) isData()        {}
func (RootAttribute) isData() {}
func (Crash) isData()         {}
func (Blind) isData()         {}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " (" + place + ")"
}

func (d PageError) String() string { return "uncaught: " + d.Text + at(d.Place) }
func (d Console) String() string {
	return "console " + string(d.Level) + ": " + d.Text + at(d.Place)
}
func (d Violation) String() string {
	return "content security policy: " + d.Directive + " blocked " + d.Blocked + at(d.Place)
}
func (d Request) String() string  { return d.Method + " " + d.URL }
func (d Response) String() string { return fmt.Sprintf("%s: status %d", d.Request, d.Status) }
func (d RequestEnd) String() string {
	if d.Failure != "" {
		return fmt.Sprintf("%s: failed: %s", d.Request, d.Failure)
	}
	return fmt.Sprintf("%s: complete, status %d", d.Request, d.Status)
}
func (d Navigation) String() string { return "navigated to " + d.URL }
func (d Dialog) String() string     { return d.Type + " dialog: " + d.Text }
func (d RootAttribute) String() string {
	if !d.Present {
		return d.Name + " removed"
	}
	return fmt.Sprintf("%s=%q", d.Name, d.Value)
}
func (d Crash) String() string { return "crashed: " + d.Reason }
func (d Blind) String() string { return "could not be observed: " + d.Reason }

// Feed is the growing record of events of a [Context]. All methods may be called at any time from any goroutine.
type Feed struct {
	mu       sync.Mutex // guards the fields below; never held while calling a watcher
	events   []Event
	watchers map[int]func(Event)
	nextID   int
}

// All returns the events so far.
func (f *Feed) All() []Event { return f.Since(0) }

// Since returns the events with a greater number.
func (f *Feed) Since(number int) []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.events[min(max(number, 0), len(f.events)):])
}

// Watch calls the function for every later event, in order, until stop is called. The
// function runs on the connection's reader: it must return at once and must not call
// Chromium. stop does not wait for a call that is under way.
func (f *Feed) Watch(function func(Event)) (stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers == nil {
		f.watchers = map[int]func(Event){}
	}
	id := f.nextID
	f.nextID++
	f.watchers[id] = function
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, id)
	}
}

// OnChange makes the feed a source for package await.
func (f *Feed) OnChange(function func()) (stop func()) {
	return f.Watch(func(Event) { function() })
}

func (f *Feed) add(source Source, data Data) {
	f.mu.Lock()
	event := Event{Number: len(f.events) + 1, Time: time.Now(), Source: source, Data: data}
	f.events = append(f.events, event)
	ids := make([]int, 0, len(f.watchers))
	for id := range f.watchers {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	watchers := make([]func(Event), len(ids))
	for i, id := range ids {
		watchers[i] = f.watchers[id]
	}
	f.mu.Unlock()
	for _, watch := range watchers {
		watch(event)
	}
}

// Only picks the events' data of one type: Only[chromium.PageError](feed.All()).
func Only[D Data](events []Event) []D {
	var picked []D
	for _, event := range events {
		if data, ok := event.Data.(D); ok {
			picked = append(picked, data)
		}
	}
	return picked
}
