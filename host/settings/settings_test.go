package settings_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"keylane/host/settings"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func file(t *testing.T, text string) (*settings.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.yml")
	if text != "" {
		write(t, path, text)
	}
	return settings.Open(path), path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWithoutAFileTheDefaultsHoldAndNothingIsWritten(t *testing.T) {
	s, path := file(t, "")
	if now := s.Read(); now.Revision != "" || now.Problem != nil || now.Values[settings.Theme] != "system" || now.Values[settings.Locale] != "" {
		t.Errorf("%+v", now)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestWhatIsNotOursStaysAsItIs(t *testing.T) {
	s, path := file(t, `# mine
future: {a: [1, 2]} # of a later version
ui-theme:
  # the evening
  preference: dark # always
  contrast: high
list: [1]
`)
	now, err := s.Update(nil, settings.Values{settings.Theme: "light", settings.Locale: "zh"})
	if err != nil || now.Values[settings.Theme] != "light" || now.Values[settings.Locale] != "zh" {
		t.Fatal(now, err)
	}
	want := `# mine
future: {a: [1, 2]} # of a later version
ui-theme:
  # the evening
  preference: light # always
  contrast: high
list: [1]
locale:
  preference: zh
`
	if got := text(t, path); got != want {
		t.Errorf("%s", got)
	}
}

func TestAFileOfCommentsKeepsThem(t *testing.T) {
	s, path := file(t, "# to be filled in\n")
	if _, err := s.Update(nil, settings.Values{settings.BusyEnter: "steer"}); err != nil {
		t.Fatal(err)
	}
	if got := text(t, path); !strings.Contains(got, "# to be filled in\n") || s.Read().Values[settings.BusyEnter] != "steer" {
		t.Errorf("%s", got)
	}
}

func TestABrokenFileIsToldWithItsLineAndNeverWrittenOver(t *testing.T) {
	for broken, line := range map[string]int{
		"a: 1\nb: [1\n": 1, // the parser tells the line above
		"locale:\n  preference: zh\nlocale: {}\n": 3,
		"locale: zh\n":      1,
		"- a list\n":        1,
		"a: 1\n---\nb: 2\n": 0,
		"ui-theme:\n  preference: dark\n\tindent: 1": 2,
	} {
		s, path := file(t, broken)
		now := s.Read()
		if now.Problem == nil || now.Problem.Line != line || now.Problem.File != path || now.Values[settings.Locale] != "" {
			t.Errorf("%q: %+v", broken, now.Problem)
		}
		var refused *settings.FileError
		if _, err := s.Update(nil, settings.Values{settings.Theme: "dark"}); !errors.As(err, &refused) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", broken, err)
		}
		if got := text(t, path); got != broken {
			t.Errorf("%q became %q", broken, got)
		}
	}
}

func TestAnUnknownValueIsAProblemOfThatSettingAlone(t *testing.T) {
	s, _ := file(t, "locale: {preference: zh}\nui-theme:\n  preference: purple\n")
	now := s.Read()
	if now.Problem == nil || now.Problem.Line != 3 || now.Values[settings.Theme] != "system" || now.Values[settings.Locale] != "zh" {
		t.Errorf("%+v", now)
	}
	if now, err := s.Update(nil, settings.Values{settings.Theme: "dark"}); err != nil || now.Problem != nil || now.Values[settings.Theme] != "dark" {
		t.Errorf("%+v %v", now, err)
	}
	if _, err := s.Update(nil, settings.Values{settings.Theme: "purple"}); err == nil {
		t.Error("a value that there is not was taken")
	}
}

func TestAnUpdateForAnotherRevisionIsRefused(t *testing.T) {
	s, path := file(t, "")
	none := ""
	first, err := s.Update(&none, settings.Values{settings.Theme: "dark"})
	if err != nil {
		t.Fatal(err)
	}
	other := settings.Open(path)
	if _, err := other.Update(&first.Revision, settings.Values{settings.Locale: "zh"}); err != nil {
		t.Fatal(err)
	}
	before := text(t, path)
	if _, err := s.Update(&first.Revision, settings.Values{settings.Theme: "light"}); !errors.Is(err, settings.ErrConflict) {
		t.Error(err)
	}
	if after := text(t, path); after != before {
		t.Errorf("the refused update wrote %q", after)
	}
	if other.Read().Revision != s.Read().Revision {
		t.Error("two hosts call one content by two names")
	}
}

// Of updates that name the revision they saw, each that is taken is a change of exactly that state, whoever makes it.
func TestUpdatesOfManyHostsLoseNothing(t *testing.T) {
	_, path := file(t, "counter: 0\n")
	var all sync.WaitGroup
	for _, change := range []settings.Values{
		{settings.Theme: "dark"}, {settings.Locale: "en"}, {settings.BusyEnter: "steer"}, {settings.GroupBy: "none"}, {settings.Permission: "ask"},
	} {
		all.Go(func() {
			s := settings.Open(path)
			for {
				revision := s.Read().Revision
				_, err := s.Update(&revision, change)
				if err == nil {
					return
				}
				if !errors.Is(err, settings.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	got := fmt.Sprint(settings.Open(path).Read().Values)
	if want := fmt.Sprint(settings.Values{settings.Theme: "dark", settings.Locale: "en", settings.BusyEnter: "steer", settings.GroupBy: "none", settings.Permission: "ask"}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Another host and an editor: one renames a new file into place, the other writes into the one that is there.
func TestChangesByOthersAreTold(t *testing.T) {
	s, path := file(t, "")
	told := make(chan settings.Snapshot, 16)
	defer s.Observe(func(now settings.Snapshot) { told <- now })()
	stop, err := s.Watch(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	awaits := func(theme string) {
		t.Helper()
		for now := range told { // an editor's half-written states may come first
			if now.Values[settings.Theme] == theme && now.Problem == nil {
				return
			}
		}
	}
	if _, err := settings.Open(path).Update(nil, settings.Values{settings.Theme: "dark"}); err != nil {
		t.Fatal(err)
	}
	awaits("dark")
	write(t, path, "ui-theme:\n  preference: light\n")
	awaits("light")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	awaits("system")
	if err := stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func FuzzAnyFileIsReadOrRefusedAndSurvives(f *testing.F) {
	for _, seed := range []string{"", "a: 1", "locale: {preference: zh} # x", "ui-theme:\n  preference: &a dark\nx: *a\n", "--- \n...", "? [a]\n: b", "locale: *nobody", "<<: {a: 1}", "locale:\n- 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, before string) {
		path := filepath.Join(t.TempDir(), "settings.yml")
		write(t, path, before)
		s := settings.Open(path)
		s.Read()
		now, err := s.Update(nil, settings.Values{settings.Theme: "dark"})
		if err != nil {
			if after := text(t, path); after != before {
				t.Fatalf("refused with %v, and wrote %q", err, after)
			}
			return
		}
		if now.Values[settings.Theme] != "dark" {
			t.Fatalf("taken, and not there: %q", text(t, path))
		}
		if again, err := settings.Open(path).Update(&now.Revision, settings.Values{settings.Theme: "dark"}); err != nil || again.Revision != now.Revision {
			t.Fatalf("what was written is not read: %v", err)
		}
	})
}
