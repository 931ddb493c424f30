package work_test

import (
	"os"
	"path/filepath"
	"testing"

	"keylane/scaffold"
)

// What differs from what was asked for would be seen: a file that nobody asked for, and one with another text.
func TestAnotherRepositoryThanWasAskedForWouldBeSeen(t *testing.T) {
	m := &machine{t: t, repo: t.TempDir(), world: map[string]string{"asked.txt": "one\n"}}
	run(t, m.repo, "git", "init", "--quiet")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(m.repo, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("asked.txt", "one\n")
	m.wantWorld("as it was asked for")
	write("asked.txt", "two\n")
	write("stray.txt", "")
	failures := scaffold.Trial(t, func(t scaffold.T) {
		mutant := *m
		mutant.t = t
		mutant.wantWorld("with a slip")
	})
	scaffold.WantSeen(t, failures, "asked.txt is not as it was asked for", `"stray.txt"`)
}
