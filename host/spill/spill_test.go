package spill_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"keylane/host/spill"
)

func folder(t *testing.T, c spill.Config) *spill.Folder {
	t.Helper()
	if c.Dir == "" {
		c.Dir = filepath.Join(t.TempDir(), "spill")
	}
	f, err := spill.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAFileIsTheSessionsAndThePersonsAlone(t *testing.T) {
	f := folder(t, spill.Config{})
	file, err := f.Create("session-1", "call_1", "stdout")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(f.Session("session-1"), "call_1-stdout.txt"); file.Path() != want {
		t.Errorf("%s, want %s", file.Path(), want)
	}
	if _, err := file.Write([]byte("secret")); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{file.Path(): 0o600, filepath.Dir(file.Path()): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	again, err := f.Create("session-1", "call_1", "stdout")
	if err != nil || filepath.Base(again.Path()) != "call_1-stdout-2.txt" {
		t.Fatalf("%v %v", again, err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file.Path()); err != nil || string(text) != "secret" {
		t.Errorf("the first file holds %q, %v", text, err)
	}
}

func TestNoIdLeadsOutOfTheFolder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := folder(t, spill.Config{Dir: "/spill"})
		a, b := rapid.String().Draw(rt, "a"), rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", ".", "..", "../..", "/etc", strings.Repeat("x", 300)})).Draw(rt, "b")
		for _, id := range []string{a, b} {
			got := f.Session(id)
			if filepath.Dir(got) != "/spill" || len(filepath.Base(got)) > 100 {
				rt.Fatalf("%q lies at %s", id, got)
			}
		}
		if a != b && f.Session(a) == f.Session(b) {
			rt.Fatalf("%q and %q share a folder", a, b)
		}
	})
}

func TestAFileHoldsNoMoreThanItsBoundAndCountsTheRest(t *testing.T) {
	file, err := folder(t, spill.Config{MaxBytes: 5}).Create("s", "c")
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"abc", "defg", "h"} {
		if n, err := file.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("%d %v", n, err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file.Path()); err != nil || string(text) != "abcde" || file.Kept() != 5 || file.Dropped() != 3 {
		t.Errorf("%q %v, kept %d, dropped %d", text, err, file.Kept(), file.Dropped())
	}
}

func TestSweepingRemovesWhatIsOldAndNothingElse(t *testing.T) {
	f := folder(t, spill.Config{Keep: time.Hour})
	if err := f.Sweep(time.Now()); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
	now := time.Now()
	paths := map[string]string{}
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "young": time.Minute} {
		for _, session := range []string{"mixed", "session-" + name} {
			file, err := f.Create(session, name)
			if err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file.Path(), now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
			paths[session+"/"+name] = file.Path()
		}
	}
	if err := f.Sweep(now); err != nil {
		t.Fatal(err)
	}
	for name, path := range paths {
		_, err := os.Stat(path)
		if old := strings.HasSuffix(name, "/old"); old != os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(f.Session("session-old")); !os.IsNotExist(err) {
		t.Errorf("an empty folder is left: %v", err)
	}
}

func TestAFolderMustBeAPlace(t *testing.T) {
	if _, err := spill.New(spill.Config{Dir: "relative"}); err == nil {
		t.Error("a relative folder was taken")
	}
}
