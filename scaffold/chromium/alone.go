package chromium

import (
	"context"
	"fmt"
)

// OpenAlone opens an address in a browser that nothing else uses, for a test that needs one page and no more. Close the browser when done: the
// page goes with it.
func OpenAlone(ctx context.Context, options Options, address string) (*Page, *Browser, error) {
	browser, err := Launch(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	page, err := browser.first(ctx, address)
	if err != nil {
		_ = browser.Close() // the failure is the news
		return nil, nil, fmt.Errorf("chromium: opening %s: %w", address, err)
	}
	return page, browser, nil
}

func (b *Browser) first(ctx context.Context, address string) (*Page, error) {
	visit, err := b.NewContext(ctx, ContextOptions{})
	if err != nil {
		return nil, err
	}
	page, err := visit.NewPage(ctx)
	if err != nil {
		return nil, err
	}
	return page, page.Navigate(ctx, address)
}
