package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// clientVariable names the bundled page: an absolute path, or one relative to TEST_SRCDIR.
const clientVariable = "KEYLANE_CLIENT"

// tree is the repository: a checkout, or what of it is in the runfiles.
func tree(t *testing.T) fs.FS {
	t.Helper()
	root, err := filepath.EvalSymlinks("../..")
	if err != nil {
		t.Fatal(err)
	}
	return os.DirFS(root)
}

// committed is the file, the facts it must agree with, and the product's imports.
func committed(t *testing.T) (file []byte, known facts, imports []string) {
	t.Helper()
	file, err := fs.ReadFile(tree(t), output)
	if err != nil {
		t.Fatal(err)
	}
	if known, err = readFacts(tree(t)); err != nil {
		t.Fatal(err)
	}
	if imports, err = productImports(tree(t)); err != nil {
		t.Fatal(err)
	}
	return file, known, imports
}

func TestTheFileNamesEverythingThatTheTreeNeeds(t *testing.T) {
	file, known, imports := committed(t)
	if len(imports) < 5 {
		t.Fatalf("only %d imports of the product were found: its sources are not all here", len(imports))
	}
	for _, problem := range problems(file, known, imports) {
		t.Error(problem)
	}
	if t.Failed() {
		t.Log("./bazelw run //tools:notices writes the file")
	}
}

func TestTheFileHasTheTermsOfAllThatIsInThePage(t *testing.T) {
	client := os.Getenv(clientVariable)
	if client == "" {
		t.Skip("needs the bundled page: Bazel gives it, or " + clientVariable)
	}
	if !filepath.IsAbs(client) {
		client = filepath.Join(os.Getenv("TEST_SRCDIR"), client)
	}
	page, err := pageLicences(client)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pageEntries(page)
	if err != nil {
		t.Fatal(err)
	}
	file, _, _ := committed(t)
	entries, err := parse(file)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(entries, func(e entry) bool { return e.section != inPage })
	if len(got) != len(want) {
		t.Fatalf("%d in the file, %d in the page: ./bazelw run //tools:notices", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("in the page: %s %s, in the file: %s %s, or their texts differ: ./bazelw run //tools:notices", want[i].name, want[i].version, got[i].name, got[i].version)
		}
	}
}

func TestWhateverIsWrongWithTheFileIsSeen(t *testing.T) {
	file, known, imports := committed(t)
	line := func(name string) string {
		for line := range strings.Lines(string(file)) {
			if strings.HasPrefix(line, "## "+name+" ") {
				return line
			}
		}
		t.Fatalf("%s is not in the file", name)
		return ""
	}
	for name, mutant := range map[string]struct {
		from, to string
		change   func(*facts)
		says     string
	}{
		"a module that was added":                          {change: func(f *facts) { f.modules["example.com/new"] = "v1.0.0" }, says: "example.com/new v1.0.0 is missing"},
		"a module that went":                               {change: func(f *facts) { delete(f.modules, "github.com/google/go-cmp") }, says: "nothing in the tree needs it"},
		"a module of another version":                      {change: func(f *facts) { f.modules["github.com/google/go-cmp"] = "v0.0.1" }, says: "go-cmp is v0.0.1"},
		"another Go":                                       {change: func(f *facts) { f.goVersion = "9.9.9" }, says: "is 9.9.9"},
		"another browser":                                  {change: func(f *facts) { f.chromium["@sparticuz/chromium"] = "999.0.0" }, says: "chromium is 999.0.0"},
		"another version of a page's package":              {change: func(f *facts) { f.npm["preact"] = lockedEntry{Version: "99.0.0"} }, says: "preact is 99.0.0"},
		"a rule set that was added":                        {change: func(f *facts) { f.bazel["rules_new"] = "1.0" }, says: "rules_new 1.0 is missing"},
		"an import of what is said to be in the lane only": {from: line("github.com/google/uuid"), says: "imports github.com/google/uuid"},
		"a text that is no licence":                        {from: "Redistribution and use in source and binary forms", to: "Do as you like", says: "no licence that is known"},
		"a licence that may not be shipped":                {from: "google/uuid v1.6.0 (BSD-3-Clause)", to: "google/uuid v1.6.0 (GPL)", says: "not permitted"},
		"the same thing twice":                             {from: line("axe-core"), to: line("axe-core") + line("axe-core"), says: "twice"},
		"a heading written by hand":                        {from: line("axe-core"), to: "## axe-core\n", says: "not a heading"},
	} {
		t.Run(name, func(t *testing.T) {
			changed, err := readFacts(tree(t))
			if err != nil {
				t.Fatal(err)
			}
			text := file
			if mutant.change != nil {
				mutant.change(&changed)
			}
			if mutant.from != "" {
				if !bytes.Contains(file, []byte(mutant.from)) {
					t.Fatalf("%q is not in the file", mutant.from)
				}
				text = bytes.ReplaceAll(file, []byte(mutant.from), []byte(mutant.to))
			}
			if found := strings.Join(problems(text, changed, imports), "\n"); !strings.Contains(found, mutant.says) {
				t.Errorf("nothing says %q:\n%s", mutant.says, found)
			}
		})
	}
	if found := problems(file, known, imports); len(found) > 0 {
		t.Errorf("and without a change: %v", found)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	entries := []entry{
		{inBinary, "example.com/a", "v1.2.3", "MIT", "# A title\n\nfirst\n    second\n\n\nthird"},
		{inPage, "some drawings", "", "ISC AND MIT", "text"},
		{inPage, "@scope/b", "2.0.0", "MPL-2.0 OR Apache-2.0", "text" + separator + "more"},
		{laneOnly, "c", "1.0", "MIT", ""},
	}
	read, err := parse(render(entries))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, entries) {
		t.Errorf("\ngot  %+v\nwant %+v", read, entries)
	}
}

func TestLicencesAreKnownByTheirWords(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted, free of charge, to any\n  person obtaining a copy of this software": "MIT",
		"Redistribution and use in source and binary forms, with or without":                               "BSD-2-Clause",
		"Mozilla Public License Version 2.0 ... or the GNU General Public License, Version 2.0":            "MPL-2.0",
		"GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007":                                             "GPL",
		"All rights reserved.": "",
	} {
		found, err := licencesOf(text)
		if strings.Join(found, " ") != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %v, %v, want %q", text, found, err, want)
		}
	}
	for licences, may := range map[string]bool{"MIT": true, "MPL-2.0": false, "(MPL-2.0 OR Apache-2.0)": true, "MIT AND GPL": false, "": false} {
		if mayBeShipped(licences) != may {
			t.Errorf("%s: want %v", licences, may)
		}
	}
}

func TestAModuleWithoutTermsIsAnError(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := moduleLicences(module{Path: "example.com/a", Dir: folder}); err == nil || !strings.Contains(err.Error(), "no licence") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("Ask me."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := moduleLicences(module{Path: "example.com/a", Dir: folder}); err == nil || !strings.Contains(err.Error(), "no licence that is known") {
		t.Error(err)
	}
	if _, err := readFacts(fstest.MapFS{"go.mod": {}, "MODULE.bazel": {}, "web/package-lock.json": {Data: []byte("{}")}, "scaffold/axe/package-lock.json": {Data: []byte("{}")}}); err == nil {
		t.Error("files that name nothing are taken for facts")
	}
}
