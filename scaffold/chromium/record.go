package chromium

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// recorder turns the protocol events of one target into entries of the feed.
type recorder struct {
	feed *Feed

	mu       sync.Mutex // guards the fields below
	source   Source
	requests map[network.RequestID]underWay
}

// underWay is a request without an end.
type underWay struct {
	Response
	frame  cdp.FrameID
	loader cdp.LoaderID // the document that asked for it
}

func newRecorder(feed *Feed, source Source) *recorder {
	return &recorder{feed: feed, source: source, requests: map[network.RequestID]underWay{}}
}

func (r *recorder) setURL(url string) {
	r.mu.Lock()
	r.source.URL = url
	r.mu.Unlock()
}

func (r *recorder) add(data Data) {
	r.mu.Lock()
	source := r.source
	r.mu.Unlock()
	r.feed.add(source, data)
}

// handle records the event and reports whether it was one worth recording.
func (r *recorder) handle(event any) bool {
	data := r.translate(event)
	if data == nil {
		return false
	}
	r.add(data)
	return true
}

func (r *recorder) translate(event any) Data {
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		return pageError(event.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		return Console{
			Level: consoleLevel(event.Type), Text: texts(event.Args), Place: stackPlace(event.StackTrace), Reporter: "page",
		}
	case *log.EventEntryAdded:
		e := event.Entry
		return Console{Level: entryLevel(e.Level), Text: e.Text, Place: place(e.URL, e.LineNumber, -1), Reporter: string(e.Source)}
	case *audits.EventIssueAdded:
		return violation(event.Issue)
	case *network.EventRequestWillBeSent:
		request := Request{
			ID: string(event.RequestID), Method: event.Request.Method,
			URL: event.Request.URL + event.Request.URLFragment, Type: string(event.Type),
		}
		r.begin(event.RequestID, underWay{Response{Request: request}, event.FrameID, event.LoaderID})
		return request
	case *network.EventWebSocketCreated:
		request := Request{ID: string(event.RequestID), Method: "GET", URL: event.URL, Type: "WebSocket"}
		r.begin(event.RequestID, underWay{Response: Response{Request: request}})
		return request
	case *network.EventResponseReceived:
		r.mu.Lock()
		defer r.mu.Unlock()
		response, known := r.requests[event.RequestID]
		if !known {
			return nil
		}
		response.Status = int(event.Response.Status)
		r.requests[event.RequestID] = response
		return response.Response
	case *network.EventLoadingFinished:
		return r.end(event.RequestID, "", false)
	case *network.EventWebSocketClosed:
		return r.end(event.RequestID, "", false)
	case *network.EventLoadingFailed:
		failure := event.ErrorText
		if event.BlockedReason != "" {
			failure += ", blocked: " + string(event.BlockedReason)
		}
		return r.end(event.RequestID, failure, event.Canceled)
	}
	return nil
}

func (r *recorder) begin(id network.RequestID, response underWay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[id] = response
}

func (r *recorder) end(id network.RequestID, failure string, canceled bool) Data {
	r.mu.Lock()
	defer r.mu.Unlock()
	response, known := r.requests[id]
	if !known {
		return nil
	}
	delete(r.requests, id)
	return RequestEnd{Request: response.Request, Status: response.Status, Failure: failure, Canceled: canceled}
}

// documentGone ends the requests of the frame's older documents: Chromium drops streams of a document that is left without a word.
// An empty frame means that the whole target is gone.
func (r *recorder) documentGone(frame cdp.FrameID, newLoader cdp.LoaderID) {
	r.mu.Lock()
	var ended []network.RequestID
	for id, request := range r.requests {
		if frame == "" || (request.frame == frame && request.loader != newLoader && request.loader != "") {
			ended = append(ended, id)
		}
	}
	r.mu.Unlock()
	slices.Sort(ended)
	for _, id := range ended {
		if data := r.end(id, "its document is gone", true); data != nil {
			r.add(data)
		}
	}
}

func pageError(details *runtime.ExceptionDetails) PageError {
	text := details.Text
	if e := details.Exception; e != nil {
		text += " " + objectText(e)
	}
	return PageError{Text: text, Place: place(details.URL, details.LineNumber, details.ColumnNumber)}
}

func violation(issue *audits.InspectorIssue) Data {
	if issue.Details == nil || issue.Details.ContentSecurityPolicyIssueDetails == nil {
		return nil // other audits are advice, not breaches
	}
	d := issue.Details.ContentSecurityPolicyIssueDetails
	v := Violation{Directive: d.ViolatedDirective, Blocked: d.BlockedURL, ReportOnly: d.IsReportOnly}
	if v.Blocked == "" {
		v.Blocked = string(d.ContentSecurityPolicyViolationType)
	}
	if l := d.SourceCodeLocation; l != nil {
		v.Place = place(l.URL, l.LineNumber-1, l.ColumnNumber-1) // these are 1-based already
	}
	return v
}

func consoleLevel(kind runtime.ConsoleAPICalledType) ConsoleLevel {
	switch kind {
	case "debug":
		return Debug
	case "warning":
		return Warning
	case "error", "assert":
		return Error
	}
	return Info
}

func entryLevel(level log.EntryLevel) ConsoleLevel {
	switch level {
	case "verbose":
		return Debug
	case "warning":
		return Warning
	case "error":
		return Error
	}
	return Info
}

func texts(arguments []*runtime.RemoteObject) string {
	words := make([]string, len(arguments))
	for i, argument := range arguments {
		words[i] = objectText(argument)
	}
	return strings.Join(words, " ")
}

// objectText shows a JavaScript value in one short text, as a console does.
func objectText(o *runtime.RemoteObject) string {
	switch {
	case o.Type == "string":
		if text, err := strconv.Unquote(string(o.Value)); err == nil {
			return text
		}
		return decodeString(o.Value)
	case o.UnserializableValue != "":
		return string(o.UnserializableValue)
	case o.Preview != nil && o.Subtype != "error":
		properties := make([]string, len(o.Preview.Properties))
		for i, p := range o.Preview.Properties {
			properties[i] = p.Name + ": " + p.Value
		}
		return o.Description + " {" + strings.Join(properties, ", ") + "}"
	case o.Description != "":
		return o.Description
	case len(o.Value) > 0:
		return string(o.Value)
	}
	return string(o.Type)
}

func stackPlace(trace *runtime.StackTrace) string {
	if trace == nil || len(trace.CallFrames) == 0 {
		return ""
	}
	f := trace.CallFrames[0]
	return place(f.URL, f.LineNumber, f.ColumnNumber)
}

// place formats a position; the protocol counts from 0, people from 1. A negative number is left out.
func place(url string, line, column int64) string {
	switch {
	case url == "":
		return ""
	case line < 0:
		return url
	case column < 0:
		return fmt.Sprintf("%s:%d", url, line+1)
	}
	return fmt.Sprintf("%s:%d:%d", url, line+1, column+1)
}
