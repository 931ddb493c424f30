package chromium

import (
	"fmt"
	"os"
	"path/filepath"
)

// Variable is the environment variable by which a test rule names the pinned Chromium: an absolute path, or one relative to
// TEST_SRCDIR (Bazel's rlocation path).
const Variable = "KEYLANE_CHROMIUM"

// Executable returns the path that [Variable] names. A test without it must fail, not skip: the error names the
// command that runs the test with its Chromium. target is the test's Bazel label.
func Executable(target string) (string, error) {
	path := os.Getenv(Variable)
	if path == "" {
		return "", fmt.Errorf("chromium: no browser: %s is not set. Run `./bazelw test %s`, which sets it, or set it to the absolute path of a headless Chromium", Variable, target)
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	runfiles := os.Getenv("TEST_SRCDIR")
	if runfiles == "" {
		return "", fmt.Errorf("chromium: no browser: %s=%s is relative, and there is no TEST_SRCDIR to find it in. Run `./bazelw test %s`", Variable, path, target)
	}
	return filepath.Abs(filepath.Join(runfiles, path))
}
