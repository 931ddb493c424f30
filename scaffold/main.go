package scaffold

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"keylane/scaffold/chromium"
)

// shared is the one Chromium of a test binary.
var shared struct {
	mu      sync.Mutex // guards the fields below
	browser *chromium.Browser
	told    bool // a scenario has already failed because this browser ended by itself
}

// Main runs the tests of a scenario's package: one Chromium for all of them, started by the first that needs it and closed here.
// It ends the process.
func Main(m *testing.M) {
	if err := becomeSubreaper(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := prepareServing(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	narrowed := flag.Lookup("test.run").Value.String() != "" || flag.Lookup("test.skip").Value.String() != ""
	if code == 0 && !narrowed {
		if err := checkInventories(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if err := leaveAccounts(!narrowed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := endMain(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if code == 0 {
			code = 1
		}
	}
	os.Exit(code)
}

func endMain() error {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	var problems []error
	if shared.browser != nil {
		problems = append(problems, closeBrowser())
	}
	if directories.temporary != "" {
		problems = append(problems, os.RemoveAll(directories.temporary))
	}
	leaks, err := leakedProcesses(nil)
	problems = append(problems, err)
	for _, leak := range leaks {
		problems = append(problems, errors.New("scaffold: "+leak))
	}
	return errors.Join(problems...)
}

// browser returns the binary's Chromium, starting it if need be. One that has ended (a scenario killed it) is replaced.
func browser(ctx context.Context) (*chromium.Browser, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.browser != nil && shared.browser.Err() == nil {
		return shared.browser, nil
	}
	path, err := chromium.Executable("//e2e/...")
	if err != nil {
		return nil, fmt.Errorf("scaffold: %w", err)
	}
	if shared.browser != nil {
		if err := closeBrowser(); err != nil {
			return nil, fmt.Errorf("scaffold: clearing away the Chromium that ended: %w", err)
		}
	}
	started, err := chromium.Launch(ctx, chromium.Options{Path: path})
	if err != nil {
		return nil, fmt.Errorf("scaffold: starting Chromium: %w", err)
	}
	shared.browser, shared.told = started, false
	return started, nil
}

// closeBrowser closes the shared Chromium. That it ended by itself is an error unless a scenario has failed for it already; that
// something of it is left is one always. The caller holds shared.mu.
func closeBrowser() error {
	err := shared.browser.Close()
	if shared.told && errors.Is(err, chromium.ErrExited) {
		if _, left := os.Stat(shared.browser.Folder()); left == nil {
			return fmt.Errorf("scaffold: Chromium left its folder behind: %w", err)
		}
		return nil
	}
	return err
}

// ended tells whether Chromium has ended by itself, and takes note that the news is out.
func ended() error {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	err := shared.browser.Err()
	shared.told = shared.told || err != nil
	return err
}
