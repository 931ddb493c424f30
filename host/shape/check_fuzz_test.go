package shape_test

import (
	"encoding/json"
	"reflect"
	"testing"

	strict "github.com/go-json-experiment/json"
)

// What fits a shape can be read into its type, and what is written of that fits again and reads the same.
func FuzzCheck(f *testing.F) {
	f.Add(`{"id":"a","action":{"verb":"say","words":["x","y"],"loud":true},"count":9,"ratio":-1.5e3,"raw":[null,{"a":"\ud83d\ude00"}],"object":{"b":1}}`)
	f.Add(`{"id":"a","action":{"verb":"hush"},"raw":{"a":1,"\u0061":2}}`)
	f.Add(`{"id":"a","id":"b","action":{"verb":"sing","words":[]},"count":1.0}`)
	f.Add("{\"id\":\"\xff\"}")
	s, err := vocabulary().Of(reflect.TypeFor[whole]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var first, second whole
		if s.Check("", []byte(text)) != nil {
			return
		}
		if err := strict.Unmarshal([]byte(text), &first, strict.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("%q fits and cannot be read: %v", text, err)
		}
		written, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if first.Action.Verb != "say" { // Go writes the key that goes with another verb too
			return
		}
		if issues := s.Check("", written); issues != nil {
			t.Fatalf("%q fits, and %s, written of it, does not: %q", text, written, issues)
		}
		if err := strict.Unmarshal(written, &second); err != nil || first.ID != second.ID || first.Ratio != second.Ratio {
			t.Fatalf("%q: %s: %v", text, written, err)
		}
	})
}
