package session

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLosslessJSON(t *testing.T) {
	for _, text := range []string{
		`null`, ` true `, `0`, `-1.5e3`, `123456789012345678901234567890`, `""`, `"\ud83d"`, `"é😀\n\u00e9"`, `[]`, `[ ]`, `{}`, `{ }`, `[1,[2,{"a":[]}]]`,
		`{"a":1,"b":{"a":1}}`, `1e-400`, `0.0`,
	} {
		if err := checkLossless([]byte(text), MaxDepth); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		``, ` `, `nul`, `NaN`, `Infinity`, `-`, `-0`, `-0.0`, `-0e9`, `-1e-400`, `01`, `1.`, `.5`, `1e`, `1e999`, `+1`, `"`, `"\x"`, `"\u12g4"`, "\"\n\"", `[1,]`, `[,1]`,
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`, `[1 2]`, `[}`, `{]`, `1 2`, `{"a":1,"a":2}`, `{"\u0061":1,"a":2}`, "\"\xff\"", `[`, `{"a":1`, `"\`, `"\u1`,
	} {
		if checkLossless([]byte(text), MaxDepth) == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestManyKeysAreCheckedForDuplicatesToo(t *testing.T) {
	var object strings.Builder
	object.WriteString(`{"a":0`)
	for i := range 3 * fewKeys {
		object.WriteString(`,"k`)
		object.WriteString(strings.Repeat("x", i))
		object.WriteString(`":0`)
	}
	if err := checkLossless([]byte(object.String()+"}"), MaxDepth); err != nil {
		t.Error(err)
	}
	if checkLossless([]byte(object.String()+`,"a":1}`), MaxDepth) == nil {
		t.Error("a duplicate of an early key was accepted")
	}
}

func TestDeepNestingIsRefusedAndDoesNotOverflow(t *testing.T) {
	for _, opening := range []string{"[", `{"a":`} {
		deep := strings.Repeat(opening, 5_000_000)
		if err := checkLossless([]byte(deep), MaxDepth); err == nil || !strings.Contains(err.Error(), "nested deeper") {
			t.Errorf("got %v", err)
		}
	}
}

// FuzzLossless compares with encoding/json: we accept a subset of what it accepts, and what we refuse beyond it has one of our reasons.
func FuzzLossless(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0,1e9,"\ud83d\ude00",null,true]}`, `[[[]]]`, `"`, `1e400`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := checkLossless([]byte(text), MaxDepth)
		if valid := json.Valid([]byte(text)); valid == (err == nil) {
			return
		} else if err == nil {
			t.Fatalf("accepted what is not JSON: %q", text)
		}
		for _, reason := range []string{"twice", "-0", "too large", "UTF-8", "nested deeper"} {
			if strings.Contains(err.Error(), reason) {
				return
			}
		}
		t.Fatalf("refused JSON %q: %v", text, err)
	})
}
