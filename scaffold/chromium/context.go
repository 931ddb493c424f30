package chromium

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// ContextOptions override the browser's [Options] for the pages of one [Context]; zero values keep them.
type ContextOptions struct {
	Locale        string
	Timezone      string
	Width, Height int
	ColorScheme   ColorScheme
	// Now is what the pages' Date says, always; the zero time leaves it to the machine.
	Now time.Time
	// RootAttributes are the attributes of the root element whose changes are reported; nil means [DefaultRootAttributes].
	RootAttributes []string
}

// DefaultRootAttributes are what pages that cooperate with a test say about themselves on their root element.
var DefaultRootAttributes = []string{"data-applied", "data-host-applied", "data-lists", "data-busy", "data-session"}

// Context is a visitor: cookies, storage, cache, permissions and locale of its own, like
// a private window. Reading and writing the clipboard is allowed. Close it.
type Context struct {
	browser *Browser
	id      cdp.BrowserContextID
	options Options
	root    []string // observed attributes
	now     time.Time
	feed    *Feed

	// mu guards the three fields below.
	mu    sync.Mutex
	pages map[target.ID]*Page
	order []*Page
	added chan struct{} // closed and replaced when a page is added
}

// NewContext opens a fresh context.
func (b *Browser) NewContext(ctx context.Context, options ContextOptions) (*Context, error) {
	merged := b.options
	if options.Locale != "" {
		merged.Locale = options.Locale
	}
	if options.Timezone != "" {
		merged.Timezone = options.Timezone
	}
	if options.Width != 0 || options.Height != 0 {
		merged.Width, merged.Height = options.Width, options.Height
	}
	if options.ColorScheme != "" {
		merged.ColorScheme = options.ColorScheme
	}
	root := options.RootAttributes
	if root == nil {
		root = DefaultRootAttributes
	}
	yes := true
	made, err := call(ctx, b.root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: &yes})
	if err != nil {
		return nil, fmt.Errorf("chromium: opening a context: %w", err)
	}
	c := &Context{
		browser: b, id: made.BrowserContextID, options: merged, root: slices.Clone(root), now: options.Now, feed: &Feed{},
		pages: map[target.ID]*Page{}, added: make(chan struct{}),
	}
	b.mu.Lock()
	b.contexts[c.id] = c
	b.mu.Unlock()
	set := &batch{session: b.root}
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		queue(set, browser.SetPermission, browser.SetPermissionParams{
			BrowserContextID: c.id, Setting: browser.PermissionSettingGranted,
			Permission: &browser.PermissionDescriptor{Name: name},
		})
	}
	queue(set, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		BrowserContextID: c.id, Behavior: browser.SetDownloadBehaviorBehaviorDeny,
	})
	if err := set.wait(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("chromium: opening a context: %w", err), c.Close(ctx))
	}
	return c, nil
}

// NewPage opens a blank page that is already being observed.
func (c *Context) NewPage(ctx context.Context) (*Page, error) {
	made, err := call(ctx, c.browser.root, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: c.id, Width: int64(c.options.Width), Height: int64(c.options.Height),
	})
	if err != nil {
		return nil, fmt.Errorf("chromium: opening a page: %w", err)
	}
	for {
		c.mu.Lock()
		page, added := c.pages[made.TargetID], c.added
		c.mu.Unlock()
		if page != nil {
			return page, page.awaitSetUp(ctx)
		}
		select {
		case <-added:
		case <-ctx.Done():
			return nil, fmt.Errorf("chromium: opening a page: %w", context.Cause(ctx))
		case <-c.browser.wire.ended:
			return nil, fmt.Errorf("chromium: opening a page: %w", c.browser.wire.endedCause)
		}
	}
}

// Pages returns the open pages in the order of their opening, with those that the pages themselves opened.
func (c *Context) Pages() []*Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.order)
}

// Feed is the record of everything that the pages and workers of the context did.
func (c *Context) Feed() *Feed { return c.feed }

// Close closes the pages and forgets cookies and storage. The feed stays readable. A
// context need not be closed before its browser.
func (c *Context) Close(ctx context.Context) error {
	_, err := call(ctx, c.browser.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: c.id})
	c.browser.mu.Lock()
	delete(c.browser.contexts, c.id)
	c.browser.mu.Unlock()
	if err != nil {
		return fmt.Errorf("chromium: closing a context: %w", err)
	}
	return nil
}

// addPage runs on the reader goroutine.
func (c *Context) addPage(event *target.EventAttachedToTarget) *Page {
	p := newPage(c, event)
	c.mu.Lock()
	c.pages[event.TargetInfo.TargetID] = p
	c.order = append(c.order, p)
	close(c.added)
	c.added = make(chan struct{})
	c.mu.Unlock()
	return p
}

func (c *Context) removePage(p *Page) {
	c.mu.Lock()
	delete(c.pages, p.target)
	c.order = slices.DeleteFunc(c.order, func(other *Page) bool { return other == p })
	c.mu.Unlock()
}
