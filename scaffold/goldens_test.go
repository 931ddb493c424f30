package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold/aria"
	"keylane/scaffold/golden"
)

func TestAGoldenThatNoStateCapturesFailsTheBinary(t *testing.T) {
	folder := t.TempDir()
	tree := aria.Tree{Nodes: []*aria.Node{{Role: "main"}}}
	text, err := aria.Print(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"settled.aria", "gone.aria", "gone.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	directory := &golden.Directory{Path: folder, Outputs: t.TempDir(), Command: RefreshCommand("example")}
	directories.byName = map[string]*golden.Directory{"example": directory}
	t.Cleanup(func() { directories.byName = nil })
	if result := directory.Compare("settled", tree); result.Err != nil {
		t.Fatal(result.Err)
	}
	err = checkInventories()
	if err == nil || !strings.Contains(err.Error(), "gone.aria, gone.txt") || !strings.HasSuffix(err.Error(), RefreshCommand("example")) {
		t.Fatalf("want an error that names both goldens and ends in the command, got %v", err)
	}
	for _, name := range []string{"gone.aria", "gone.txt"} {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkInventories(); err != nil {
		t.Errorf("a closed inventory fails: %v", err)
	}
}
