package chromium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"keylane/scaffold/await"
)

// errGone ends the calls of a target that was closed or went away.
var errGone = errors.New("the page or worker is closed")

// ErrCrashed is wrapped by the errors of a page whose process crashed.
var ErrCrashed = errors.New("the page's process crashed")

// Page is one tab. Its methods may be called from any goroutine; gestures of one page should come from one at a time.
type Page struct {
	context  *Context
	target   target.ID
	session  *session
	recorder *recorder

	ready    chan struct{} // closed when set-up has ended
	setUpErr error         // valid after ready

	changes await.Signal

	// mu guards the fields below, which follow the events of the page.
	mu         sync.Mutex
	url        string
	loader     cdp.LoaderID                     // of the main frame's document
	loaded     map[cdp.LoaderID]map[string]bool // lifecycle events seen
	world      runtime.ExecutionContextID       // the observer's isolated world in the main frame; 0 between documents
	worldName  string                           // its id as the destroyed event has it
	mutations  uint64                           // animation frames or batches with mutations, over all documents
	attributes map[string]string                // observed attributes that the root element has
}

func newPage(c *Context, event *target.EventAttachedToTarget) *Page {
	p := &Page{
		context: c, target: event.TargetInfo.TargetID, url: event.TargetInfo.URL,
		ready: make(chan struct{}), loaded: map[cdp.LoaderID]map[string]bool{}, attributes: map[string]string{},
	}
	p.recorder = newRecorder(c.feed, Source{Page: p.ID(), Kind: "page", URL: p.url})
	p.session = c.browser.wire.open(event.SessionID, p.handle, p.closed)
	return p
}

// ID is the page's id, the one in [Source].
func (p *Page) ID() string { return string(p.target) }

// Context is where the page is open; another tab beside it is another page of it.
func (p *Page) Context() *Context { return p.context }

// setUp turns on everything that is observed or pinned and lets the page run.
func (p *Page) setUp(ctx context.Context) error {
	defer close(p.ready)
	o, yes, no := p.context.options, true, false
	b := &batch{session: p.session}
	queue(b, inspector.Enable, cdp.Empty{})
	queue(b, page.Enable, page.EnableParams{})
	queue(b, page.SetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true})
	queue(b, runtime.Enable, cdp.Empty{})
	queue(b, network.Enable, network.EnableParams{})
	queue(b, log.Enable, cdp.Empty{})
	queue(b, audits.Enable, cdp.Empty{})
	queue(b, runtime.AddBinding, runtime.AddBindingParams{Name: bindingName, ExecutionContextName: worldName})
	queue(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: observerScript(p.context.root), WorldName: worldName, RunImmediately: &yes,
	})
	if now := p.context.now; !now.IsZero() {
		queue(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: clockScript(now), RunImmediately: &yes})
	}
	queue(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(o.Width), Height: int64(o.Height), DeviceScaleFactor: 1,
		ScreenWidth: int64(o.Width), ScreenHeight: int64(o.Height),
	})
	queue(b, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: o.Locale})
	queue(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: o.Timezone})
	queue(b, emulation.SetEmulatedMedia, emulatedMedia(o.ColorScheme))
	queue(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	queue(b, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{
		UserAgent: p.context.browser.userAgent, AcceptLanguage: acceptLanguage(o.Locale),
	})
	queue(b, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes})
	queue(b, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: no})
	queue(b, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	if err := b.wait(ctx); err != nil {
		p.setUpErr = fmt.Errorf("chromium: setting up a page: %w", err)
		return p.setUpErr
	}
	// The first document was there before the observer's events were on: the binding has reported since.
	p.setUpErr = p.waitUntil(ctx, "the page's first document", func(s pageState) (bool, string) {
		return s.world != 0, "its observer has not started"
	})
	return p.setUpErr
}

func emulatedMedia(scheme ColorScheme) emulation.SetEmulatedMediaParams {
	return emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: string(scheme)},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}}
}

// acceptLanguage is the list that a browser set to the locale prefers: zh-CN, then zh.
func acceptLanguage(locale string) string {
	for i := range len(locale) {
		if locale[i] == '-' {
			return locale + "," + locale[:i]
		}
	}
	return locale
}

func (p *Page) awaitSetUp(ctx context.Context) error {
	select {
	case <-p.ready:
		return p.setUpErr
	case <-ctx.Done():
		return fmt.Errorf("chromium: opening a page: %w", context.Cause(ctx))
	}
}

// handle follows the page's events, on the reader goroutine.
func (p *Page) handle(event any) {
	changed := false
	switch event := event.(type) {
	case *runtime.EventExecutionContextCreated:
		changed = p.worldCreated(event.Context)
	case *runtime.EventExecutionContextDestroyed:
		p.mu.Lock()
		if p.worldName == event.ExecutionContextUniqueID {
			p.world = 0
		}
		p.mu.Unlock()
	case *runtime.EventExecutionContextsCleared:
		p.mu.Lock()
		p.world = 0
		p.mu.Unlock()
	case *runtime.EventBindingCalled:
		if event.Name == bindingName {
			changed = p.observed(event)
		}
	case *page.EventFrameNavigated:
		p.recorder.documentGone(event.Frame.ID, event.Frame.LoaderID)
		if event.Frame.ParentID == "" {
			p.documentChanged(event.Frame)
			changed = true
		}
	case *page.EventNavigatedWithinDocument:
		if string(event.FrameID) == p.ID() {
			p.mu.Lock()
			p.url = event.URL
			p.mu.Unlock()
			p.recorder.setURL(event.URL)
			p.recorder.add(Navigation{URL: event.URL, SameDocument: true})
			changed = true
		}
	case *page.EventLifecycleEvent:
		if string(event.FrameID) == p.ID() {
			p.lifecycle(event)
			changed = true
		}
	case *page.EventJavascriptDialogOpening:
		p.recorder.add(Dialog{Type: string(event.Type), Text: event.Message})
		// Answered from here without waiting: the page stands still until then.
		_, _ = p.session.send(page.HandleJavaScriptDialog.Method, page.HandleJavaScriptDialogParams{
			Accept: event.Type == page.DialogTypeBeforeunload,
		}) // an error means that the connection is lost, which everybody learns
	case *inspector.EventTargetCrashed:
		p.recorder.add(Crash{Reason: "the renderer process ended"})
		p.session.end(ErrCrashed)
		changed = true
	case *target.EventAttachedToTarget:
		p.context.browser.attachedTo(p.context, p, event)
	case *target.EventDetachedFromTarget:
		p.context.browser.wire.drop(event.SessionID, errGone)
	default:
		changed = p.recorder.handle(event)
	}
	if changed {
		p.changes.Notify()
	}
}

func (p *Page) worldCreated(description *runtime.ExecutionContextDescription) bool {
	var aux struct {
		FrameID string `json:"frameId"`
	}
	if description.Name != worldName || json.Unmarshal(description.AuxData, &aux) != nil || aux.FrameID != p.ID() {
		return false
	}
	p.mu.Lock()
	p.world, p.worldName = description.ID, description.UniqueID
	p.mu.Unlock()
	return true
}

func (p *Page) documentChanged(frame *cdp.Frame) {
	url := frame.URL + frame.URLFragment
	p.mu.Lock()
	p.url, p.loader = url, frame.LoaderID
	clear(p.attributes)
	for loader := range p.loaded {
		if loader != frame.LoaderID {
			delete(p.loaded, loader)
		}
	}
	p.mu.Unlock()
	p.recorder.setURL(url)
	p.recorder.add(Navigation{URL: url})
}

func (p *Page) lifecycle(event *page.EventLifecycleEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.loaded[event.LoaderID] == nil {
		p.loaded[event.LoaderID] = map[string]bool{}
	}
	p.loaded[event.LoaderID][event.Name] = true
}

// closed runs when the session of the page has ended.
func (p *Page) closed() {
	p.context.removePage(p)
	p.recorder.documentGone("", "")
	p.changes.Notify()
}

// OnChange calls the function whenever something of the page may have changed: its DOM (at most once per animation frame), an observed root
// attribute, its address, or its record. The function must return at once and must not call Chromium. It makes a Page a source for package await.
func (p *Page) OnChange(function func()) (stop func()) { return p.changes.OnChange(function) }

// URL is the address of the main frame's document.
func (p *Page) URL() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url
}

// RootAttribute returns an observed attribute of the root element as last reported, without asking the page.
func (p *Page) RootAttribute(name string) (value string, present bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	value, present = p.attributes[name]
	return value, present
}

// Mutations counts the reported batches of DOM mutations of all documents of the page. Equal counts mean: nothing was reported in between.
// For "nothing happened in between" use [Stable], which asks the page itself.
func (p *Page) Mutations() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mutations
}

// Events returns what the page did so far, with its frames and workers and with the workers that the whole context shares.
func (p *Page) Events() []Event {
	var own []Event
	for _, event := range p.context.feed.All() {
		if event.Source.Page == p.ID() || event.Source.Page == "" {
			own = append(own, event)
		}
	}
	return own
}

// Close closes the tab without asking it.
func (p *Page) Close(ctx context.Context) error {
	_, err := call(ctx, p.context.browser.root, target.CloseTarget, target.CloseTargetParams{TargetID: p.target})
	if err != nil {
		return fmt.Errorf("chromium: closing a page: %w", err)
	}
	select {
	case <-p.session.gone:
		return nil
	case <-p.context.browser.wire.ended:
		return fmt.Errorf("chromium: closing a page: %w", p.context.browser.wire.endedCause)
	case <-ctx.Done():
		return fmt.Errorf("chromium: closing a page: %w", context.Cause(ctx))
	}
}

// Call sends any protocol command to the page, for what this package has no word for (throttling, interception, heap and coverage).
func Call[P, R any](ctx context.Context, p *Page, command cdp.Command[P, R], params P) (R, error) {
	return call(ctx, p.session, command, params)
}
