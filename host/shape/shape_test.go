package shape_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keylane/host/shape"
)

type verb string

type action struct {
	Verb  verb     `json:"verb"`
	Words []string `json:"words" wire:"min=1,max=2,for=say"`
	Loud  bool     `json:"loud,omitempty" wire:"for=say|sing"`
}

type common struct {
	ID string `json:"id" wire:"min=1,max=4"`
}

type whole struct {
	common
	Action action          `json:"action"`
	Count  *int            `json:"count,omitempty" wire:"min=0,max=9"`
	Ratio  float64         `json:"ratio,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	Object json.RawMessage `json:"object,omitempty" wire:"object"`
	Kept   string          `json:"-"`
	hidden int             //lint:ignore U1000 that it has no place in the shape is what is tested
}

func vocabulary() shape.Vocabulary {
	return shape.Vocabulary{Values: map[reflect.Type][]string{reflect.TypeFor[verb](): {"say", "sing", "hush"}}}
}

func shapeOf[T any](t *testing.T) *shape.Shape {
	t.Helper()
	s, err := vocabulary().Of(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatFitsIsAccepted(t *testing.T) {
	s := shapeOf[whole](t)
	for _, text := range []string{
		`{"id":"a","action":{"verb":"hush"}}`,
		` { "id" : "a" , "action" : { "words" : [ "x", "y" ], "verb" : "say", "loud" : true } , "count" : 9 } `,
		`{"id":"äö","action":{"verb":"sing","loud":false},"ratio":-1.5e3,"raw":null,"object":{}}`,
		`{"id":"a","action":{"verb":"hush"},"raw":[1,{"a":"\ud83d\ude00"},[[]]],"object":{"a":{"a":1}}}`,
	} {
		if issues := s.Check("", []byte(text)); issues != nil {
			t.Errorf("%s: %v", text, issues)
		}
	}
}

func TestWhatDoesNotFitIsNamedByItsPath(t *testing.T) {
	s := shapeOf[whole](t)
	with := func(rest string) string { return `{"id":"a","action":{"verb":"hush"}` + rest + `}` }
	for text, want := range map[string]string{
		``:                                    `p: want an object, got nothing`,
		`7`:                                   `p: want an object, got 7`,
		`{`:                                   `p: want an object, got text that is no JSON at byte 1`,
		`{} {}`:                               `p: want an object, got text that is no JSON at byte 4`,
		with(`,"count":1.0`):                  `p.count: want a whole number from 0 to 9, got 1.0`,
		with(`,"count":"x"`):                  `p.count: want a whole number from 0 to 9, got "x"`,
		with(`,"count":null`):                 `p.count: want a whole number from 0 to 9, got null`,
		with(`,"count":99999999999999999999`): `p.count: want a whole number from 0 to 9, got 99999999999999999999`,
		with(`,"ratio":true`):                 `p.ratio: want a number, got true`,
		with(`,"object":[]`):                  `p.object: want an object, got a list`,
		with(`,"raw":{"a":1,"\u0061":2}`):     `p.raw.a: want the key once, got it twice`,
		with(`,"raw":[{"b":"\udc00"}]`):       `p.raw.0.b: want well-formed Unicode, got a lone surrogate`,
		with(`,"raw":"` + "\xff" + `"`):       `p.raw: want well-formed Unicode, got bytes that are no UTF-8`,
		with(`,"\ud83d":1`):                   `p: want well-formed Unicode in every key, got a key that is not: "\ud83d"`,
		with(`,"Count":1`):                    `p.Count: want no key but id, action, count, ratio, raw, object, got this one`,
		with(`,"hidden":1`):                   `p.hidden: want no key but id, action, count, ratio, raw, object, got this one`,
		with(`,"id":"b"`):                     `p.id: want the key once, got it twice`,
		`{"id":"","action":{"verb":"hush"}}`:  `p.id: want a text of 1 to 4 bytes, got an empty text`,
		`{"id":"abcde","action":{"verb":"hush"}}`: `p.id: want a text of 1 to 4 bytes, got 5 bytes`,
		`{"id":"a"}`:                                         `p.action: want an object, got nothing`,
		`{"id":"a","action":{"verb":"cry"}}`:                 `p.action.verb: want "say", "sing" or "hush", got "cry"`,
		`{"id":"a","action":{}}`:                             `p.action.verb: want "say", "sing" or "hush", got nothing`,
		`{"id":"a","action":{"verb":"say"}}`:                 `p.action.words: want a list of 1 to 2, got nothing`,
		`{"id":"a","action":{"verb":"say","words":[]}}`:      `p.action.words: want a list of 1 to 2, got 0 entries`,
		`{"id":"a","action":{"verb":"say","words":["a",2]}}`: `p.action.words.1: want a text, got 2`,
		`{"id":"a","action":{"verb":"sing","words":["a"]}}`:  `p.action.words: want no such key beside verb "sing", got this one`,
		with(`,"ratio":"` + strings.Repeat("é", 40) + `"`):   `p.ratio: want a number, got "` + strings.Repeat("é", 29) + `…`,
	} {
		if diff := cmp.Diff([]string{want}, s.Check("p", []byte(text))); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestManyIssuesAreCutOff(t *testing.T) {
	text := `[` + strings.Repeat(`"x",`, 100) + `"x"]`
	if n := len(shapeOf[[]int](t).Check("", []byte(text))); n != 8 {
		t.Errorf("%d issues", n)
	}
}

func TestATypeThatCannotBeSaidIsAnError(t *testing.T) {
	for want, typ := range map[string]reflect.Type{
		"writes its own JSON":     reflect.TypeFor[time.Time](),
		"chan int has no JSON":    reflect.TypeFor[chan int](),
		"map[int]int has no JSON": reflect.TypeFor[map[int]int](),
		"has no name in JSON":     reflect.TypeFor[struct{ A int }](),
		"(in struct": reflect.TypeFor[struct {
			A chan int `json:"a"`
		}](),
		"only raw JSON can be said to be": reflect.TypeFor[struct {
			A int `json:"a" wire:"object"`
		}](),
		`unknown option "most"`: reflect.TypeFor[struct {
			A int `json:"a" wire:"most=1"`
		}](),
		"say omitempty": reflect.TypeFor[struct {
			A *int `json:"a"`
		}](),
		"invalid syntax": reflect.TypeFor[struct {
			A int `json:"a" wire:"max=x"`
		}](),
		"which is no enumeration": reflect.TypeFor[struct {
			A string `json:"a"`
			B string `json:"b" wire:"for=x"`
		}](),
	} {
		if _, err := vocabulary().Of(typ); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", typ, err)
		}
	}
}
