package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"keylane/host/api"
)

// root is the repository: a checkout, or the runfiles under Bazel.
const root = "../.."

func repository(t *testing.T) fs.FS {
	t.Helper()
	// Under Bazel each file is a link of its own.
	resolved, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	return os.DirFS(resolved)
}

func TestThePagesTypesAreTheHosts(t *testing.T) {
	tree := repository(t)
	want, err := generate(tree, api.NewSchema())
	if err != nil {
		t.Fatal(err)
	}
	have, err := fs.ReadFile(tree, output)
	if err != nil {
		t.Fatal(err)
	}
	if diff := udiff.Unified(output, "as the host has it", string(have), string(want)); diff != "" {
		t.Errorf("the page's types differ from the host's:\n%s\nrun ./bazelw run //tools:types", diff)
	}
}

// edited is the repository with one change in one file, as a person would make it in a copy.
type edited struct {
	fs.FS
	name, text string
}

func (e edited) Open(name string) (fs.File, error) {
	if name == e.name {
		return fstest.MapFS{name: {Data: []byte(e.text)}}.Open(name)
	}
	return e.FS.Open(name)
}

func edit(t *testing.T, name, from, to string) fs.FS {
	t.Helper()
	tree := repository(t)
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), from) != 1 {
		t.Fatalf("%s does not say %q once", name, from)
	}
	return edited{tree, name, strings.Replace(string(text), from, to, 1)}
}

func TestAForgottenConstantIsSeen(t *testing.T) {
	_, err := generate(edit(t, "host/api/queue.go", `modeSteer promptMode = "steer"`, `modeSteer promptMode = "rush"`), api.NewSchema())
	if err == nil || !strings.Contains(err.Error(), `promptMode has a constant "rush" that api.NewSchema does not list`) {
		t.Error(err)
	}
}

func TestACommentIsCarriedOver(t *testing.T) {
	text, err := generate(edit(t, "host/api/sessions.go", "// hostDescription is what the host is,", "// hostDescription is what the host looks like,"), api.NewSchema())
	if err != nil || !strings.Contains(string(text), "/** HostDescription is what the host looks like, and what it can offer. */") {
		t.Error(err)
	}
}

// TestAChangedTagIsSeen changes the tags of one type, as somebody would in its source, and the page's file has to change with it.
func TestAChangedTagIsSeen(t *testing.T) {
	const kept = "readonly hasMore: boolean;"
	for tag, line := range map[reflect.StructTag]string{
		`json:"hasMore"`:           kept,
		`json:"more"`:              "readonly more: boolean;",
		`json:"hasMore,omitempty"`: "readonly hasMore?: boolean;",
	} {
		text, err := generate(repository(t), retagged(reflect.TypeFor[api.HistoryPage](), "HasMore", tag))
		if err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(string(text), "export interface HistoryPage {")
		page, _, _ := strings.Cut(after, "\n}")
		if !strings.Contains(page, line) || strings.Contains(page, kept) != (line == kept) {
			t.Errorf("%s: nothing of it in the page's types", tag)
		}
	}
}

// retagged is the schema in which a field of a type has another tag.
func retagged(of reflect.Type, field string, tag reflect.StructTag) api.Schema {
	var fields []reflect.StructField
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Name == field {
			f.Tag = tag
		}
		fields = append(fields, f)
	}
	schema := api.NewSchema()
	schema.Vocabulary.StandIns = maps.Clone(schema.Vocabulary.StandIns)
	schema.Vocabulary.StandIns[of] = reflect.StructOf(fields)
	return schema
}

func TestAChangedTableIsSeen(t *testing.T) {
	whole, err := generate(repository(t), api.NewSchema())
	if err != nil {
		t.Fatal(err)
	}
	for name, mutate := range map[string]func(*api.Schema){
		"another name of a method": func(s *api.Schema) { s.Methods[0].Name = "host.tell" },
		"another payload":          func(s *api.Schema) { s.Methods[0].Payload = s.Methods[3].Payload },
		"a frame less":             func(s *api.Schema) { s.Frames = s.Frames[:len(s.Frames)-1] },
		"a frame on both streams":  func(s *api.Schema) { s.Frames[1].Stream = "" },
		"a type less":              func(s *api.Schema) { s.Elsewhere = s.Elsewhere[:len(s.Elsewhere)-1] },
	} {
		schema := api.NewSchema()
		mutate(&schema)
		text, err := generate(repository(t), schema)
		if err != nil {
			t.Fatal(name, err)
		}
		if bytes.Equal(text, whole) {
			t.Errorf("%s: nothing of it in the page's types", name)
		}
	}
}

func TestWhatAPageCouldNotReadIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		mutate func(*api.Schema)
		says   string
	}{
		"its own JSON": {func(s *api.Schema) { s.Methods[0].Value = reflect.TypeFor[time.Time]() }, "time.Time writes its own JSON and has no stand-in"},
		"no JSON":      {func(s *api.Schema) { s.Methods[0].Value = reflect.TypeFor[chan int]() }, "chan int has no JSON"},
		"no name":      {func(s *api.Schema) { s.Methods[0].Value = reflect.TypeFor[struct{ A int }]() }, "A has no name in JSON"},
		"one name for two": {func(s *api.Schema) {
			s.Names = maps.Clone(s.Names)
			s.Names[reflect.TypeFor[api.HistoryPage]()] = "SessionSummary"
		}, "are both called SessionSummary"},
	} {
		schema := api.NewSchema()
		c.mutate(&schema)
		if _, err := generate(repository(t), schema); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
