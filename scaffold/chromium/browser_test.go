package chromium_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"keylane/scaffold/await"
	"keylane/scaffold/chromium"
)

func launch(t *testing.T, ctx context.Context) *chromium.Browser {
	t.Helper()
	path, err := executable()
	if err != nil {
		t.Fatal(err)
	}
	browser, err := chromium.Launch(ctx, chromium.Options{Path: path, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return browser
}

// nothingIsLeft checks the group and the folder of an ended Chromium.
func nothingIsLeft(t *testing.T, group int, folder string) {
	t.Helper()
	if left := chromium.Members(group); group != 0 && len(left) > 0 {
		t.Errorf("processes of the group are left: %v", left)
	}
	if left := processesNaming(folder); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if entries, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(entries) > 0 {
		t.Errorf("files are left: %v %v", entries, err)
	}
}

func TestCloseEndsEveryProcessAndRemovesTheFolder(t *testing.T) {
	browser := launch(t, await.Context(t))
	if !strings.Contains(browser.Version(), "Chrome") {
		t.Errorf("version %q", browser.Version())
	}
	if group, err := syscall.Getpgid(browser.PID()); err != nil || group != browser.PID() || group == syscall.Getpgrp() {
		t.Errorf("group %d of process %d, %v", group, browser.PID(), err)
	}
	if browser.Err() != nil {
		t.Error(browser.Err())
	}
	if err := browser.Close(); err != nil {
		t.Error(err)
	}
	if err := browser.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	nothingIsLeft(t, browser.PID(), browser.Folder())
	select {
	case <-browser.Done():
	default:
		t.Error("Done is not closed")
	}
}

func TestAChromiumThatIsKilledFailsEveryCallAtOnceWithTheReason(t *testing.T) {
	ctx := await.Context(t)
	browser := launch(t, ctx)
	visit := must[*chromium.Context](t)(browser.NewContext(ctx, chromium.ContextOptions{}))
	page := must[*chromium.Page](t)(visit.NewPage(ctx))
	waiting := make(chan error, 2)
	go func() {
		_, err := chromium.Eval[int](ctx, page, "new Promise(() => {})")
		waiting <- err
	}()
	go func() {
		_, err := page.WaitFor(ctx, chromium.Role("button", "Never"))
		waiting <- err
	}()
	if err := page.Frames(ctx, 1); err != nil { // the calls above are under way
		t.Fatal(err)
	}
	start := time.Now()
	if err := syscall.Kill(browser.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := <-waiting
		if !errors.Is(err, chromium.ErrExited) || !strings.Contains(err.Error(), "signal: killed") {
			t.Errorf("got %v", err)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v to notice", took)
	}
	<-browser.Done()
	if !errors.Is(browser.Err(), chromium.ErrExited) {
		t.Errorf("Err is %v", browser.Err())
	}
	if _, err := visit.NewPage(ctx); !errors.Is(err, chromium.ErrExited) {
		t.Errorf("a later call: %v", err)
	}
	if err := browser.Close(); !errors.Is(err, chromium.ErrExited) {
		t.Errorf("Close does not report it: %v", err)
	}
	nothingIsLeft(t, browser.PID(), browser.Folder())
}

func TestAProcessThatIgnoresTheRequestToEndIsKilled(t *testing.T) {
	ctx := await.Context(t)
	browser := launch(t, ctx)
	if err := syscall.Kill(browser.PID(), syscall.SIGSTOP); err != nil { // a stopped process does not see TERM
		t.Fatal(err)
	}
	if err := browser.Close(); err != nil {
		t.Error(err)
	}
	nothingIsLeft(t, browser.PID(), browser.Folder())
}

func TestAFolderThatCannotBeRemovedIsNamedWithWhatIsLeftInIt(t *testing.T) {
	// Nothing in /proc can be removed, not even by root.
	err := chromium.RemoveFolder("/proc/self/fdinfo")
	if err == nil || !strings.Contains(err.Error(), "removing the temporary folder") || !strings.Contains(err.Error(), "left: /proc/self/fdinfo, /proc/self/fdinfo/0") {
		t.Error(err)
	}
}

func TestLaunchSaysWhatIsWrongWithThePath(t *testing.T) {
	ctx := await.Context(t)
	folder := t.TempDir()
	script := filepath.Join(folder, "not-chromium")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho cannot find libnss3 >&2\nexit 127\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"empty", "", "Options.Path is empty"},
		{"relative", "chromium", "is not absolute"},
		{"missing", filepath.Join(folder, "missing"), "no such file"},
		{"not executable", plain, "not an executable file"},
		{"a folder", folder, "not an executable file"},
		{"something that ends at once", script, "exit status 127; it printed last:\ncannot find libnss3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tmp := t.TempDir()
			_, err := chromium.Launch(ctx, chromium.Options{Path: c.path, Folder: tmp})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			nothingIsLeft(t, 0, filepath.Join(tmp, "x"))
		})
	}
}

func TestLaunchGivesUpWithItsContextAndLeavesNothing(t *testing.T) {
	silent := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(silent, []byte("#!/bin/sh\ntrap '' TERM\nwhile read -r line <&3; do :; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(await.Context(t), 100*time.Millisecond)
	defer cancel()
	tmp := t.TempDir()
	if _, err := chromium.Launch(ctx, chromium.Options{Path: silent, Folder: tmp}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	nothingIsLeft(t, 0, filepath.Join(tmp, "x"))
}

func TestAPageWhoseProcessCrashesFailsItsCallsAndIsRecorded(t *testing.T) {
	ctx, page := blank(t)
	_, err := chromium.Call(ctx, page, cdppage.Crash, cdp.Empty{})
	if !errors.Is(err, chromium.ErrCrashed) {
		t.Errorf("got %v", err)
	}
	if crashes := chromium.Only[chromium.Crash](page.Events()); len(crashes) != 1 {
		t.Errorf("recorded: %v", page.Events())
	}
	if _, err := page.Screenshot(ctx); !errors.Is(err, chromium.ErrCrashed) {
		t.Errorf("a later call: %v", err)
	}
}

func TestAClosedPageFailsItsCalls(t *testing.T) {
	ctx, page := blank(t)
	if err := page.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Screenshot(ctx); err == nil || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("got %v", err)
	}
}
