package chromium

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/emulation"
)

// Resize gives the viewport another size, in CSS pixels, as a person who drags the corner of a window. It stays until the page is closed.
func (p *Page) Resize(ctx context.Context, width, height int) error {
	_, err := call(ctx, p.session, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 1, ScreenWidth: int64(width), ScreenHeight: int64(height),
	})
	if err != nil {
		return fmt.Errorf("chromium: resizing to %d×%d: %w", width, height, err)
	}
	return nil
}

// Prefer changes what prefers-color-scheme says, as a person who changes the system's theme. It stays until the page is closed.
func (p *Page) Prefer(ctx context.Context, scheme ColorScheme) error {
	if _, err := call(ctx, p.session, emulation.SetEmulatedMedia, emulatedMedia(scheme)); err != nil {
		return fmt.Errorf("chromium: preferring %s: %w", scheme, err)
	}
	return nil
}
