package tool_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"keylane/host/llm"
	"keylane/host/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo gives back the arguments it was given.
type echo struct{ name, schema string }

func (e echo) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: e.name, Description: "gives back", Parameters: json.RawMessage(e.schema)}
}

func (e echo) Run(_ context.Context, c tool.Call) tool.Result {
	if strings.Contains(string(c.Arguments), "panic") {
		panic("the tool is broken")
	}
	return tool.Result{Text: string(c.Arguments)}
}

const schema = `{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","minLength":1},"count":{"type":"integer","maximum":3}}}`

func registered(t *testing.T) *tool.Registry {
	t.Helper()
	registry := tool.NewRegistry()
	for _, name := range []string{"say", "ask"} {
		if _, err := registry.Register(echo{name, schema}); err != nil {
			t.Fatal(err)
		}
	}
	return registry
}

func TestAToolSeesOnlyArgumentsItsSchemaAccepts(t *testing.T) {
	registry := registered(t)
	if got := registry.Execute(t.Context(), "say", ` {"text": "hi", "count": 2} `, tool.Call{}); got.IsError || got.Text != ` {"text": "hi", "count": 2} ` {
		t.Errorf("%+v", got)
	}
	for raw, words := range map[string]string{
		``:                         "text", // stands for {}
		`{`:                        "not JSON",
		`{"text":"a"} x`:           "not JSON",
		`{"text":"a"}{}`:           "not JSON",
		`"text"`:                   "object",
		`{"text":1}`:               "at /text",
		`{"text":""}`:              "at /text",
		`{"text":"a","count":4}`:   "at /count",
		`{"text":"a","count":1.5}`: "at /count",
		`{"text":"a","other":1}`:   "other",
		`{"text":"a","text":"b"}`:  "twice",
		`{"text":"a`:               "not JSON",
		strings.Repeat(`[`, 20000): "not JSON",
	} {
		got := registry.Execute(t.Context(), "say", raw, tool.Call{})
		if !got.IsError || got.Error == nil || got.Error.Code != tool.CodeInvalidArguments || !strings.Contains(got.Text, words) {
			t.Errorf("%.40q: %.200q %+v does not say %q", raw, got.Text, got.Error, words)
		}
	}
}

func TestAnUnknownToolIsAResultThatNamesTheOthers(t *testing.T) {
	got := registered(t).Execute(t.Context(), "sing", "{}", tool.Call{})
	if !got.IsError || got.Error.Code != tool.CodeUnknownTool || got.Text != `Error: there is no tool "sing"; available: ask, say` {
		t.Errorf("%+v", got)
	}
	if got := tool.NewRegistry().Execute(t.Context(), "sing", "{}", tool.Call{}); !strings.Contains(got.Text, "available: none") {
		t.Errorf("%+v", got)
	}
}

func TestAToolThatPanicsIsAResult(t *testing.T) {
	got := registered(t).Execute(t.Context(), "say", `{"text":"panic"}`, tool.Call{})
	if !got.IsError || got.Error.Code != tool.CodeInternal || !strings.Contains(got.Text, "the tool is broken") {
		t.Errorf("%+v", got)
	}
}

// look is an echo that changes nothing, or says so.
type look struct {
	echo
	parallel bool
}

func (l look) Parallel() bool { return l.parallel }

func TestOnlyAToolThatSaysSoIsParallel(t *testing.T) {
	registry := registered(t)
	for name, parallel := range map[string]bool{"look": true, "change": false} {
		if _, err := registry.Register(look{echo{name, schema}, parallel}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"look": true, "change": false, "say": false, "nobody": false} {
		if got := registry.Parallel(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSchemasAreSortedAndDisposeFreesTheName(t *testing.T) {
	registry := tool.NewRegistry()
	dispose, err := registry.Register(echo{"b", schema})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Register(echo{"a", schema}); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Register(echo{"b", schema}); err == nil {
		t.Error("a name was taken twice")
	}
	if schemas := registry.Schemas(); len(schemas) != 2 || schemas[0].Name != "a" || schemas[1].Name != "b" {
		t.Errorf("%+v", schemas)
	}
	dispose()
	dispose()
	if schemas := registry.Schemas(); len(schemas) != 1 {
		t.Errorf("%+v", schemas)
	}
}

func TestASchemaThatIsNoneIsRefused(t *testing.T) {
	for _, broken := range []string{``, `{`, `[]`, `{"type":"string"}`, `{"type":"object","properties":{"a":{"type":"poem"}}}`, `{"type":"object","$ref":"file:///etc/passwd"}`} {
		if _, err := tool.NewRegistry().Register(echo{"x", broken}); err == nil {
			t.Errorf("%s was accepted", broken)
		}
	}
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := `{"type":"object","properties":{"a":{"$ref":"file://` + file + `"}}}`
	if _, err := tool.NewRegistry().Register(echo{"x", outside}); err == nil {
		t.Error("a schema that refers to a file was accepted")
	}
	if _, err := tool.NewRegistry().Register(echo{"", schema}); err == nil {
		t.Error("a tool without a name was accepted")
	}
}

// What reaches a tool is what an independent reader of JSON takes too: one value, no key twice, in the schema's shape, byte for byte as the
// model wrote it. What does not, is told to the model, and the tool is not run.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a","count":2}`, `{"text":"a","text":"b"}`, ` {"text" : "\ud83d\ude00" } `, `{"text":"a",}`, `{"text":"a" "count":1}`, `{"text":"a"}{}`,
		`{"text":"\ud800","count":-0}`, `{"text":"a","count":3.0}`, `{"text":"a","count":1e400}`, `[[{"a":[null,1e400,"\ud800"]}]]`, "{\"text\":\"\xff\"}", ``,
	} {
		f.Add(seed)
	}
	registry := tool.NewRegistry()
	ran := 0
	if _, err := registry.Register(counted{echo{"say", schema}, &ran}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if strings.Contains(raw, "panic") {
			return // echo's own
		}
		ran = 0
		got := registry.Execute(t.Context(), "say", raw, tool.Call{})
		if got.IsError {
			if got.Error == nil || got.Error.Code != tool.CodeInvalidArguments || got.Text == "" || ran != 0 {
				t.Fatalf("%q: refused as %+v, %q; the tool ran %d times", raw, got.Error, got.Text, ran)
			}
			return
		}
		if ran != 1 || got.Text != raw {
			t.Fatalf("%q: the tool ran %d times, the last time with %q", raw, ran, got.Text)
		}
		var arguments struct {
			Text  *string  `json:"text"`
			Count *float64 `json:"count"`
		}
		if err := strict.Unmarshal([]byte(raw), &arguments, strict.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatalf("%q reached the tool: %v", raw, err)
		}
		if arguments.Text == nil || *arguments.Text == "" || arguments.Count != nil && (*arguments.Count > 3 || *arguments.Count != math.Trunc(*arguments.Count)) {
			t.Fatalf("%q reached the tool", raw)
		}
	})
}

// shown is a tool that says how its calls look.
type shown struct {
	echo
	view string
}

func (s shown) Present(c tool.Call) json.RawMessage {
	if strings.Contains(string(c.Arguments), "panic") {
		panic("the presenter is broken")
	}
	return json.RawMessage(strings.ReplaceAll(s.view, "CWD", c.Cwd))
}

func TestACallLooksAsItsToolSaysOrLikeNothing(t *testing.T) {
	registry := registered(t)
	for name, view := range map[string]string{"show": `{"in":"CWD"}`, "odd": `{"in`, "silent": ""} {
		if _, err := registry.Register(shown{echo{name, schema}, view}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, arguments, want string }{
		{"show", `{"text":"hi"}`, `{"in":"/home"}`},
		{"show", `{"text":""}`, ""},      // the schema does not accept it
		{"show", `{"text":"pan`, ""},     // no JSON
		{"show", `{"text":"panic"}`, ""}, // the presenter fails
		{"odd", `{"text":"hi"}`, ""},     // the presenter says nonsense
		{"silent", `{"text":"hi"}`, ""},  // the presenter says nothing
		{"say", `{"text":"hi"}`, ""},     // has no presenter
		{"nowhere", `{"text":"hi"}`, ""}, // no such tool
	} {
		if got := string(registry.Present(c.name, c.arguments, "/home")); got != c.want {
			t.Errorf("%s(%s) looks like %q, want %q", c.name, c.arguments, got, c.want)
		}
	}
}

// counted counts its runs.
type counted struct {
	echo
	ran *int
}

func (c counted) Run(ctx context.Context, call tool.Call) tool.Result {
	*c.ran++
	return c.echo.Run(ctx, call)
}
