package chromium

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Options say which Chromium to start and what every page of it looks like unless its
// [ContextOptions] say otherwise. Only Path has no default.
type Options struct {
	// Path is the executable. It is used as it is: nothing is searched for.
	Path string
	// Folder is where the temporary folder is made; default TEST_TMPDIR, else [os.TempDir].
	Folder string
	// Locale is a BCP 47 tag; default en-US.
	Locale string
	// Timezone is an IANA name; default UTC.
	Timezone string
	// Width and Height are the viewport in CSS pixels; default 1680×1000. The device scale factor is always 1.
	Width, Height int
	// ColorScheme is what prefers-color-scheme says; default Light.
	ColorScheme ColorScheme
	// Stderr receives what Chromium prints; nil discards it. The last lines are kept for errors either way.
	Stderr io.Writer
}

// ColorScheme is a value of the media feature prefers-color-scheme.
type ColorScheme string

// The color schemes.
const (
	Light ColorScheme = "light"
	Dark  ColorScheme = "dark"
)

func (o Options) withDefaults() (Options, error) {
	if o.Path == "" {
		return o, errors.New("chromium: Options.Path is empty: name the executable, nothing is searched for")
	}
	if !filepath.IsAbs(o.Path) {
		return o, fmt.Errorf("chromium: Options.Path %q is not absolute", o.Path)
	}
	if info, err := os.Stat(o.Path); err != nil {
		return o, fmt.Errorf("chromium: Options.Path: %w", err)
	} else if info.IsDir() || info.Mode()&0o111 == 0 {
		return o, fmt.Errorf("chromium: Options.Path %s is not an executable file", o.Path)
	}
	if o.Folder == "" {
		o.Folder = os.Getenv("TEST_TMPDIR")
	}
	if o.Folder == "" {
		o.Folder = os.TempDir()
	}
	if o.Locale == "" {
		o.Locale = "en-US"
	}
	if o.Timezone == "" {
		o.Timezone = "UTC"
	}
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = 1680, 1000
	}
	if o.ColorScheme == "" {
		o.ColorScheme = Light
	}
	return o, nil
}

// flags returns the command line, sorted, so that two runs start the same process.
func (o Options) flags(profile string) []string {
	flags := []string{
		// The protocol over file descriptors 3 and 4: no port, so nobody else can connect.
		"--remote-debugging-pipe",
		"--user-data-dir=" + profile,
		"--headless",
		"--no-sandbox", // runs as root and inside other sandboxes, with pages of our own only
		"--no-first-run",
		"--no-default-browser-check",
		"--no-proxy-server",
		"--no-pings",
		// Names other than the loopback's do not resolve: a page that phones out fails even where no sandbox forbids it.
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE *.localhost , EXCLUDE 127.0.0.1 , EXCLUDE [::1]",
		// Nothing in the background.
		"--disable-background-networking",
		"--disable-breakpad",
		"--disable-client-side-phishing-detection",
		"--disable-component-extensions-with-background-pages",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-extensions",
		"--disable-sync",
		"--metrics-recording-only",
		"--disable-features=AcceptCHFrame,MediaRouter,OptimizationHints,PaintHolding,Translate",
		"--disable-search-engine-choice-screen",
		// A page that is not in front runs like one that is.
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		"--disable-hang-monitor",
		"--disable-ipc-flooding-protection",
		"--disable-popup-blocking",
		"--disable-prompt-on-repost",
		"--disable-dev-shm-usage", // /dev/shm is small or absent in sandboxes; the temporary folder is ours
		// The same pixels everywhere.
		"--disable-gpu",
		"--disable-lcd-text",
		"--font-render-hinting=none",
		"--force-color-profile=srgb",
		"--force-device-scale-factor=1",
		"--force-prefers-reduced-motion",
		"--lang=" + o.Locale,
		"--mute-audio",
		"--password-store=basic",
		"--use-mock-keychain",
		"--window-size=" + strconv.Itoa(o.Width) + "," + strconv.Itoa(o.Height),
	}
	slices.Sort(flags)
	return flags
}
