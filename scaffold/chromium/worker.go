package chromium

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// worker is any observed target that is not a page: workers of all kinds, and frames in processes of their own.
type worker struct {
	context  *Context
	parent   *Page // nil for shared and service workers
	kind     string
	session  *session
	recorder *recorder
}

// newWorker runs on the reader goroutine.
func newWorker(c *Context, parent *Page, event *target.EventAttachedToTarget) *worker {
	w := &worker{context: c, parent: parent, kind: event.TargetInfo.Type}
	source := Source{Kind: w.kind, URL: event.TargetInfo.URL}
	if parent != nil {
		source.Page = parent.ID()
	}
	w.recorder = newRecorder(c.feed, source)
	w.session = c.browser.wire.open(event.SessionID, w.handle, func() { w.recorder.documentGone("", "") })
	return w
}

func (w *worker) setUp(ctx context.Context) error {
	yes := true
	b := &batch{session: w.session}
	queue(b, runtime.Enable, cdp.Empty{})
	queue(b, network.Enable, network.EnableParams{})
	queue(b, log.Enable, cdp.Empty{})
	if w.kind == "iframe" {
		queue(b, inspector.Enable, cdp.Empty{}) // workers have no crash of their own: they end with their process
		queue(b, page.Enable, page.EnableParams{})
		queue(b, emulation.SetEmulatedMedia, emulatedMedia(w.context.options.ColorScheme))
	}
	queue(b, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes})
	queue(b, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	return b.wait(ctx)
}

// handle runs on the reader goroutine.
func (w *worker) handle(event any) {
	switch event := event.(type) {
	case *inspector.EventTargetCrashed:
		if strings.HasSuffix(w.kind, "_worker") {
			// Chromium says this of every shared or service worker that ends, also of one that nobody uses any more.
			w.recorder.documentGone("", "")
			break
		}
		w.recorder.add(Crash{Reason: "its process ended"})
	case *target.EventAttachedToTarget:
		w.context.browser.attachedTo(w.context, w.parent, event)
	case *target.EventDetachedFromTarget:
		w.context.browser.wire.drop(event.SessionID, errGone)
		return
	default:
		if !w.recorder.handle(event) {
			return
		}
	}
	w.notify()
}

func (w *worker) notify() {
	if w.parent != nil {
		w.parent.changes.Notify()
		return
	}
	for _, p := range w.context.Pages() {
		p.changes.Notify()
	}
}
