package scaffold

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func page() fstest.MapFS {
	return fstest.MapFS{
		"index.html":        {Data: []byte("<main>")},
		"shared/keylane.js": {Data: []byte(`function a(e){return e.state==="hidden"?b(e):e.state==="gone"}`)},
	}
}

func TestAnEditedPageDiffersInTheNamedPlacesOnly(t *testing.T) {
	original := page()
	edited, err := edit(original, []Edit{
		{"shared/keylane.js", `(\w+)\.state==="hidden"\?`, `$1.state==="never"?`},
		{"shared/keylane.js", `"gone"`, `"away"`},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"index.html":        "<main>",
		"shared/keylane.js": `function a(e){return e.state==="never"?b(e):e.state==="away"}`,
	} {
		got, err := fs.ReadFile(edited, name)
		if err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
		if info, err := fs.Stat(edited, name); err != nil || info.Size() != int64(len(want)) || !info.Mode().IsRegular() {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if text := string(original["shared/keylane.js"].Data); text != string(page()["shared/keylane.js"].Data) {
		t.Errorf("the page that was given has become %s", text)
	}
	if _, err := fs.Stat(edited, "plugins/none.js"); err == nil {
		t.Error("a file that the page lacks is there")
	}
}

func TestAnEditThatChangesNothingOrTooMuchIsRefused(t *testing.T) {
	for says, e := range map[string]Edit{
		"is there 0 times, want once": {"shared/keylane.js", "visible", ""},
		"is there 2 times, want once": {"shared/keylane.js", `\.state===`, ""},
		"no such file":                {"plugins/none/client.js", "a", ""},
		"missing closing":             {"shared/keylane.js", "(", ""},
	} {
		if _, err := edit(page(), []Edit{e}); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), e.File) {
			t.Errorf("%+v: %v, want it to say %q", e, err, says)
		}
	}
}

func TestAScenarioThatIsNoMutantIsNotEdited(t *testing.T) {
	for name, scenario := range map[string]Scenario{
		"the page": {Name: "none", Edits: []Edit{{"index.html", "a", "b"}}},
		"the log":  {Name: "none", Mutate: func(log []byte) []byte { return log }},
	} {
		if err := onlyMutantsAreChanged(t, scenario); err == nil || !strings.Contains(err.Error(), "scaffold.Trial") {
			t.Errorf("%s: %v", name, err)
		}
		if err := onlyMutantsAreChanged(&trial{outer: t}, scenario); err != nil {
			t.Errorf("%s, in a trial: %v", name, err)
		}
	}
}
