package chromium_test

import (
	"context"
	"testing"

	"keylane/scaffold/chromium"
)

func BenchmarkLaunchAndClose(b *testing.B) {
	path, err := executable()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		browser, err := chromium.Launch(context.Background(), chromium.Options{Path: path, Folder: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		if err := browser.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFreshContextAndPage(b *testing.B) {
	ctx := context.Background()
	for b.Loop() {
		visit, err := shared.NewContext(ctx, chromium.ContextOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := visit.NewPage(ctx); err != nil {
			b.Fatal(err)
		}
		if err := visit.Close(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
