package credentials_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"keylane/host/credentials"
)

const secret = "sk-canary-0123456789"

func open(t *testing.T) (*credentials.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "home", "credentials.yml")
	return another(t, path), path
}

// another is a second host's store of the same file.
func another(t *testing.T, path string) *credentials.Store {
	t.Helper()
	store := credentials.Open(path)
	for _, use := range []credentials.Use{{Ref: "deepseek", Name: "DeepSeek", Variable: "DEEPSEEK_API_KEY"}, {Ref: "other", Name: "Other", Elsewhere: credentials.Environment}} {
		if _, err := store.Declare(use); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func TestACredentialIsThePersonsAloneAndEveryHostsOfTheHome(t *testing.T) {
	store, path := open(t)
	var told []string
	store.Observe(func(ref string) { told = append(told, ref) })
	if err := store.Set("deepseek", "  "+secret+"\n"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	second := another(t, path)
	if got := second.Value("deepseek"); got != secret {
		t.Errorf("the second host has %q", got)
	}
	if err := second.Set("other", "x"); err != nil {
		t.Fatal(err)
	}
	if err := second.Unset("deepseek"); err != nil {
		t.Fatal(err)
	}
	if store.Value("deepseek") != "" || store.Value("other") != "x" {
		t.Errorf("the first host has %q and %q", store.Value("deepseek"), store.Value("other"))
	}
	if err := store.Unset("deepseek"); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
	if !slices.Equal(told, []string{"deepseek", "deepseek"}) {
		t.Errorf("told of %q", told)
	}
}

func TestTheStatusSaysWhichOneCountsAndNeverWhatItIs(t *testing.T) {
	store, _ := open(t)
	for _, ref := range []string{"deepseek", "other"} {
		if err := store.Set(ref, secret); err != nil {
			t.Fatal(err)
		}
	}
	status := store.Status()
	want := "[{{deepseek DeepSeek  DEEPSEEK_API_KEY} stored true} {{other Other environment } environment true}]"
	if got := fmt.Sprint(status); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestWhatCannotBeACredentialIsRefusedWithoutBeingRepeated(t *testing.T) {
	store, path := open(t)
	for name, value := range map[string]string{
		"nothing": " \n", "two words": secret + " x", "two lines": secret + "\nx: y", "a control character": secret + "\x1b", "too long": strings.Repeat(secret, 300), "an invisible one": secret + "\u200b",
	} {
		err := store.Set("deepseek", value)
		if !errors.Is(err, credentials.ErrInvalid) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := store.Set("nobody", secret); !errors.Is(err, credentials.ErrUnknown) || strings.Contains(err.Error(), secret) {
		t.Errorf("for nobody: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

func TestABrokenFileGivesNothingIsNotWrittenOverAndNotQuoted(t *testing.T) {
	store, path := open(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"deepseek: [" + secret, "- " + secret + "\n", "deepseek:\n  key: " + secret + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{"problem": store.Problem(), "set": store.Set("deepseek", "new"), "unset": store.Unset("deepseek")} {
			if !errors.Is(err, credentials.ErrBroken) || strings.Contains(err.Error(), secret) {
				t.Errorf("%s with %q: %v", what, text, err)
			}
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != text || store.Value("deepseek") != "" {
			t.Errorf("the file is %q now, %v; it gives %q", left, err, store.Value("deepseek"))
		}
	}
}

func TestAFileThatOthersCanReadIsSaidAndPutRight(t *testing.T) {
	store, path := open(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("deepseek: "+secret+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := store.Problem(); err == nil || !strings.Contains(err.Error(), "chmod 600") || store.Value("deepseek") != secret {
		t.Errorf("the problem is %v", err)
	}
	if err := store.Set("other", "x"); err != nil {
		t.Fatal(err)
	}
	if err := store.Problem(); err != nil {
		t.Errorf("after a change: %v", err)
	}
}

func TestChangesAtTheSameTimeLoseNothing(t *testing.T) {
	store, path := open(t)
	stores := []*credentials.Store{store, another(t, path)}
	var done sync.WaitGroup
	for i, ref := range []string{"deepseek", "other"} {
		done.Go(func() {
			for n := range 20 {
				if err := stores[i].Set(ref, fmt.Sprintf("%s-%d", ref, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if store.Value("deepseek") != "deepseek-19" || store.Value("other") != "other-19" {
		t.Errorf("left are %q and %q", store.Value("deepseek"), store.Value("other"))
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 2 { // the file and its lock
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

func TestOneNameIsOnesOwn(t *testing.T) {
	store, _ := open(t)
	if _, err := store.Declare(credentials.Use{Ref: "deepseek"}); err == nil {
		t.Error("a second one is let in")
	}
}
