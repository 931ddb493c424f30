package chromium

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"keylane/scaffold/await"
)

// ErrExited is wrapped by every error that comes from Chromium's end.
var ErrExited = errors.New("chromium exited in the middle of the work")

// Browser is one running Chromium. Close it.
type Browser struct {
	options   Options
	version   string
	userAgent string
	changes   await.Signal // notified when Chromium has ended
	process   *process
	wire      *wire
	root      *session

	// mu guards the two fields below.
	mu       sync.Mutex
	contexts map[cdp.BrowserContextID]*Context
	closing  bool

	setups    sync.WaitGroup // goroutines that set up attached targets
	closeOnce sync.Once
	closeErr  error
}

// Launch starts Chromium and waits until it answers. The context bounds the start only.
// After an error nothing is left behind.
func Launch(ctx context.Context, options Options) (*Browser, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(options)
	if err != nil {
		return nil, err
	}
	b := &Browser{options: options, process: p, contexts: map[cdp.BrowserContextID]*Context{}}
	b.wire = newWire(p.fromChild, p.toChild)
	b.root = b.wire.open("", b.handle, func() {})
	go b.wire.run()
	go b.supervise()
	if err := b.handshake(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("chromium: starting %s: %w", options.Path, err), b.Close())
	}
	return b, nil
}

func (b *Browser) handshake(ctx context.Context) error {
	version, err := call(ctx, b.root, browser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	b.version, b.userAgent = version.Product, version.UserAgent
	yes := true
	_, err = call(ctx, b.root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &yes,
	})
	return err
}

// supervise is the goroutine that learns of Chromium's end, expected or not; it ends with the process.
func (b *Browser) supervise() {
	select {
	case <-b.process.exited:
	case <-b.wire.lost:
		// Without its connection the process is of no use; it normally ends by itself at once.
		b.process.awaitExitOrKill()
	}
	_ = b.wire.close()   // the process is gone; an error could only say so again
	<-b.process.outputAt // what it printed last is read; that ends soon after the process
	b.wire.endedCause = &exitedError{reason: b.process.reason(), output: b.process.output.tail()}
	close(b.wire.ended)
	b.changes.Notify()
}

type exitedError struct{ reason, output string }

func (e *exitedError) Error() string {
	message := ErrExited.Error() + ": " + e.reason
	if e.output != "" {
		message += "; it printed last:\n" + e.output
	}
	return message
}

func (e *exitedError) Unwrap() error { return ErrExited }

// Version is the product and version, such as "HeadlessChrome/153.0.8010.0".
func (b *Browser) Version() string { return b.version }

// PID is the process id of the main process, which is also the id of the process group.
func (b *Browser) PID() int { return b.process.command.Process.Pid }

// Folder is the temporary folder that holds everything Chromium writes. Close removes it.
func (b *Browser) Folder() string { return b.process.folder }

// Done is closed when Chromium has ended, by Close or by itself.
func (b *Browser) Done() <-chan struct{} { return b.wire.ended }

// OnChange calls the function when Chromium has ended; it makes a Browser a source for package await.
func (b *Browser) OnChange(function func()) (stop func()) { return b.changes.OnChange(function) }

// Err is nil while Chromium runs and after a Close that ended it; otherwise it wraps [ErrExited] and says how it ended.
func (b *Browser) Err() error {
	select {
	case <-b.wire.ended:
	default:
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closing {
		return nil
	}
	return b.wire.endedCause
}

// Close ends the whole process group (asked first, killed after a short grace), removes
// the folder and stops the watchdog. It reports whatever it could not end or
// remove, and an exit that came before it: a test that closes a dead Chromium fails.
// Calling it again returns the same error.
func (b *Browser) Close() error {
	b.closeOnce.Do(func() {
		early := b.Err()
		b.mu.Lock()
		b.closing = true
		b.mu.Unlock()
		err := b.process.stop()
		<-b.wire.ended
		b.setups.Wait()
		b.closeErr = errors.Join(early, err)
	})
	return b.closeErr
}

// handle receives the events of the browser itself, on the reader goroutine.
func (b *Browser) handle(event any) {
	switch event := event.(type) {
	case *target.EventAttachedToTarget:
		b.attached(event)
	case *target.EventDetachedFromTarget:
		b.wire.drop(event.SessionID, errGone)
	}
}

// attached finds the context of a target that belongs to no page of ours.
func (b *Browser) attached(event *target.EventAttachedToTarget) {
	b.mu.Lock()
	visit := b.contexts[event.TargetInfo.BrowserContextID]
	b.mu.Unlock()
	b.attachedTo(visit, nil, event)
}

// attachedTo registers a target that Chromium holds at its start, and starts the goroutine that sets it up and lets it run.
// parent is the page that owns it (a dedicated worker or a frame), nil for what belongs to a whole context.
func (b *Browser) attachedTo(visit *Context, parent *Page, event *target.EventAttachedToTarget) {
	info := event.TargetInfo
	var setUp func(context.Context) error
	switch {
	case visit == nil: // the blank page that every Chromium starts with, or a context that is closing
		s := b.wire.open(event.SessionID, func(any) {}, func() {})
		setUp = s.resume
	case parent == nil && info.Type == "page":
		setUp = visit.addPage(event).setUp
	default:
		setUp = newWorker(visit, parent, event).setUp
	}
	b.setups.Go(func() {
		// No bound of its own: the end of the target or of Chromium ends every call.
		if err := setUp(context.Background()); err != nil && visit != nil && !errors.Is(err, errGone) && !errors.Is(err, ErrExited) {
			source := Source{Kind: info.Type, URL: info.URL}
			if parent != nil {
				source.Page = parent.ID()
			}
			visit.feed.add(source, Blind{Reason: err.Error()})
		}
	})
}
