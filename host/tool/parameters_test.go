package tool_test

import (
	"context"
	"strings"
	"testing"

	"keylane/host/llm"
	"keylane/host/tool"
)

func TestArgumentsAreDescribedByTheirType(t *testing.T) {
	type entry struct {
		Kind string `json:"kind" schema:"required,of=a|b"`
	}
	got := string(tool.Parameters[struct {
		Text  string  `json:"text" schema:"required,min=1,max=9" about:"What is <said>"`
		Count int64   `json:"count,omitempty" schema:"min=0,max=3"`
		Flag  bool    `json:"flag"`
		List  []entry `json:"list" schema:"required,max=2" about:"A list"`
		One   entry   `json:"one"`
	}]())
	want := `{"type":"object","additionalProperties":false,"required":["text","list"],"properties":{` +
		`"text":{"type":"string","minLength":1,"maxLength":9,"description":"What is <said>"},` +
		`"count":{"type":"integer","minimum":0,"maximum":3},"flag":{"type":"boolean"},` +
		`"list":{"type":"array","maxItems":2,"description":"A list","items":` +
		`{"type":"object","additionalProperties":false,"required":["kind"],"properties":{"kind":{"type":"string","enum":["a","b"]}}}},` +
		`"one":{"type":"object","additionalProperties":false,"required":["kind"],"properties":{"kind":{"type":"string","enum":["a","b"]}}}}}`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	registry := tool.NewRegistry()
	if _, err := registry.Register(described{got}); err != nil {
		t.Fatal(err)
	}
	for raw, fits := range map[string]bool{
		`{"text":"a","list":[]}`: true, `{"text":"a","list":[{"kind":"b"}],"count":3,"flag":true,"one":{"kind":"a"}}`: true,
		`{"text":"","list":[]}`: false, `{"list":[]}`: false, `{"text":"a","list":[{"kind":"c"}]}`: false, `{"text":"a","list":[],"count":4}`: false,
	} {
		if result := registry.Execute(t.Context(), "described", raw, tool.Call{}); result.IsError == fits {
			t.Errorf("%s: %+v", raw, result)
		}
	}
}

func TestATypeWithoutASchemaIsRefusedWithTheReason(t *testing.T) {
	for words, schema := range map[string]string{
		"field F: a float64 has no schema": string(tool.Parameters[struct {
			F float64 `json:"f"`
		}]()),
		"field F: it needs a JSON name": string(tool.Parameters[struct{ F string }]()),
		`no rule "minimum"`: string(tool.Parameters[struct {
			F string `json:"f" schema:"minimum=1"`
		}]()),
		"min=x is not a whole number": string(tool.Parameters[struct {
			F []struct {
				G int `json:"g" schema:"min=x"`
			} `json:"f"`
		}]()),
	} {
		if _, err := tool.NewRegistry().Register(described{schema}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v does not say %q", err, words)
		}
	}
}

// described is a tool with this schema.
type described struct{ schema string }

func (d described) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "described", Description: "d", Parameters: []byte(d.schema)}
}

func (described) Run(context.Context, tool.Call) tool.Result { return tool.Result{Text: "done"} }
