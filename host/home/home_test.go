package home_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"keylane/host/composition"
	"keylane/host/home"
)

func TestTheHomeIsNamedByFlagThenVariableThenTheUser(t *testing.T) {
	user := t.TempDir()
	t.Setenv("HOME", user)
	for _, c := range []struct{ dir, variable, want string }{
		{"/a", "/b", "/a"},
		{"", "/b", "/b"},
		{"", "", filepath.Join(user, ".keylane")},
	} {
		t.Setenv(home.Variable, c.variable)
		h, err := home.Locate(c.dir)
		if err != nil || h.Dir() != c.want {
			t.Errorf("%+v: %s %v", c, h.Dir(), err)
		}
	}
	if entries, err := os.ReadDir(user); err != nil || len(entries) != 0 {
		t.Errorf("locating made %v (%v)", entries, err)
	}
}

func TestARelativeHomeIsMadeAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	h, err := home.Locate("x")
	if err != nil || h.Dir() != filepath.Join(here, "x") {
		t.Errorf("%s %v", h.Dir(), err)
	}
}

func TestTheTokenIsExpandedEverywhere(t *testing.T) {
	h, err := home.Locate("/h")
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Expand("{{home}}/a:{{home}}"); got != "/h/a:/h" {
		t.Error(got)
	}
	if h.ConfigFile() != "/h/config.yml" || h.Path("a", "b") != "/h/a/b" {
		t.Error(h.ConfigFile(), h.Path("a", "b"))
	}
	if (home.Config{Dir: "{{home}}/x"}).Validate() == nil {
		t.Error("a home within itself")
	}
}

func TestAHomeThatCannotBeMadeFailsTheBoot(t *testing.T) {
	boot := func(dir string) error {
		row := "- id: home\n  plugin: home\n  required: true\n  config: {dir: " + strconv.Quote(dir) + "}\n"
		tree, err := composition.Load(composition.Layer{Name: "test.yml", Data: []byte(row), Base: true})
		if err != nil {
			t.Fatal(err)
		}
		instance, err := composition.Boot(t.Context(), tree, []composition.Plugin{home.Plugin()}, composition.Options{})
		if err != nil {
			return err
		}
		return instance.Close(t.Context())
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := boot(filepath.Join(file, "home")); err == nil || !strings.Contains(err.Error(), home.Variable) || !strings.Contains(err.Error(), "test.yml:1") {
		t.Errorf("want an error with the row's place and the next step, got %v", err)
	}
	made := filepath.Join(folder, "deep", "home")
	if err := boot(made); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(made); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("the home is %v, %v", info, err)
	}
}
