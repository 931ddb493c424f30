package directory_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"keylane/host/directory"
)

func TestEveryCommonReasonHasAWord(t *testing.T) {
	root := world(t)
	folders(t, root, "made")
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(root, "gone"): "not-found", filepath.Join(root, "file"): "not-a-folder", filepath.Join(root, "file", "in"): "not-a-folder",
		"plans": "not-absolute", "/" + strings.Repeat("x", 5000): "too-long", root + "\x00": "",
	} {
		if _, err := directory.List(t.Context(), path); err == nil || directory.Reason(err) != want {
			t.Errorf("%.40q: %q of %v, want %q", path, directory.Reason(err), err, want)
		}
	}
	for parent, want := range map[string]string{root: "exists", filepath.Join(root, "file"): "not-a-folder", filepath.Join(root, "gone"): "not-found"} {
		if _, err := directory.Create(parent, "made"); err == nil || directory.Reason(err) != want {
			t.Errorf("in %s: %q of %v, want %q", parent, directory.Reason(err), err, want)
		}
	}
	for code, want := range map[syscall.Errno]string{syscall.EACCES: "permission", syscall.EPERM: "permission", syscall.EROFS: "read-only", syscall.ENOSPC: "no-space", syscall.EDQUOT: "no-space", syscall.EIO: ""} {
		if got := directory.Reason(fmt.Errorf("%w: %w", directory.ErrCreate, &fs.PathError{Op: "mkdir", Path: root, Err: code})); got != want {
			t.Errorf("%v: %q, want %q", code, got, want)
		}
	}
}
