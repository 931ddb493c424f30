package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold/golden"
)

func TestAnAccountSaysWhatWasCapturedAndWhatItWasComparedWith(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"same.txt": "one\n", "old.txt": "two\n", "BUILD.bazel": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	directory := golden.Directory{Path: folder, Outputs: t.TempDir(), Command: command}
	if result := directory.CompareText("same", "one"); result.Err != nil {
		t.Fatal(result.Err)
	}
	if result := directory.CompareText("new", "three"); result.Err == nil {
		t.Fatal("a golden that is not there passes")
	}
	account, err := directory.Account("example")
	if err != nil {
		t.Fatal(err)
	}
	text, err := account.Print()
	if err != nil {
		t.Fatal(err)
	}
	read, err := golden.ParseAccount(text)
	if err != nil {
		t.Fatal(err)
	}
	if read.Scenario != "example" || len(read.Committed) != 2 || len(read.Captured) != 2 || read.Committed["same.txt"] != read.Captured["same.txt"] ||
		read.Captured["new.txt"] != golden.Sum([]byte("three\n")) || read.Committed["old.txt"] != golden.Sum([]byte("two\n")) {
		t.Errorf("the account is %s", text)
	}
}

func TestAnAccountThatLeadsOutOfItsDirectoryIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		`{"format":1,"captured":{"../../fixtures/a/x.txt":"00"}}`: "is no golden",
		`{"format":1,"committed":{"session.jsonl":"00"}}`:         "is no golden",
		`{"format":2}`:               "format 2",
		`{"format":1,"mood":"good"}`: "mood",
		`{`:                          "account",
	} {
		if _, err := golden.ParseAccount([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want an error that says %q, got %v", text, says, err)
		}
	}
}
