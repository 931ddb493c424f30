package seed

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Corpus finds the logs of another program, which every reader here must cope with: a folder with projected/, enveloped/ and on-disk/. They
// are not part of the repository; the error says where was looked, and a test without them is skipped with it. KEYLANE_CORPUS may name the
// folder that holds dsh-logs or, as Bazel's runfiles have it, a file "state" beside a folder "files" that stands for it; a relative name
// counts from the runfiles. Without it, the folder is looked for beside the repository.
func Corpus() (string, error) {
	root := os.Getenv("KEYLANE_CORPUS")
	switch {
	case root == "":
		module, err := moduleRoot()
		if err != nil {
			return "", fmt.Errorf("seed: no corpus: KEYLANE_CORPUS is not set, and %w", err)
		}
		root = filepath.Join(filepath.Dir(module), "shared", "corpus")
	case !filepath.IsAbs(root):
		root = filepath.Join(os.Getenv("TEST_SRCDIR"), root)
	}
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		root = filepath.Join(filepath.Dir(root), "files")
	}
	logs := filepath.Join(root, "dsh-logs")
	if _, err := os.Stat(logs); err != nil {
		return "", fmt.Errorf("seed: no corpus: looked for it in %s (set KEYLANE_CORPUS to the folder that holds dsh-logs)", root)
	}
	return logs, nil
}

func moduleRoot() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("seed: finding the repository: %w", err)
	}
	for start := directory; ; directory = filepath.Dir(directory) {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory, nil
		}
		if filepath.Dir(directory) == directory {
			return "", fmt.Errorf("no go.mod above %s", start)
		}
	}
}

// CopyTree copies the files below a folder, of a corpus say: their content also where they are links (as in runfiles), with ordinary modes.
// What is below to already stays, unless it has the same name.
func CopyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("seed: copying %s: %w", from, err)
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return fmt.Errorf("seed: copying %s: %w", from, err)
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("seed: copying %s: %w", from, err)
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o600)
	})
}
