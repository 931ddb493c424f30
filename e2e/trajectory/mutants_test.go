package trajectory_test

import (
	"bytes"
	"testing"

	"keylane/scaffold"
)

// The bundles that mutants change.
const (
	bundle = "assets/parts/*.js"
	shared = "shared/keylane.js"
)

// A trajectory that loses its place, follows too eagerly, leads elsewhere or points out nothing would be seen.
func TestEachChangeIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name string
		from scaffold.Scenario
		edit scaffold.Edit
		says string
	}{
		{"the choice is a place in the table", scenario(func(s *scaffold.Stage) { jump(s, longTurns-4); paging(s) }), scaffold.Edit{
			File: bundle, Find: `viewing:(\w+),record:(\w+),place:(\w+),tabStop:(\w+),match:(\w+)\}\)\{let (\w+)=\w+\.seq===\w+\.selected\.value,`,
			Put: "viewing:$1,record:$2,place:$3,tabStop:$4,match:$5}){$2.seq===$1.selected.value&&(globalThis.chosenPlace??=$3);let $6=$3===globalThis.chosenPlace,",
		}, "is chosen, it was"},
		{"older pages push what is on screen", scenario(func(s *scaffold.Stage) { jump(s, longTurns-4); paging(s) }), scaffold.Edit{
			File: bundle, Find: `(\w+)!==0\?(\w+)\(\((\w+)\.current\?\.scrollTop\?\?0\)\+\w+\)`, Put: "$1!==0?void 0",
		}, "the chosen record moved"},
		{"the end is always followed", live(), scaffold.Edit{
			File: bundle, Find: `atEnd:(\w+)\}=(\w+)\.current;`, Put: "atEnd:$1}=$2.current;$1=!0;",
		}, "followed its end although the reader was elsewhere"},
		{"the jump goes to what came before the call", scenario(func(s *scaffold.Stage) { jump(s, longTurns-4) }), scaffold.Edit{
			File: shared, Find: `this\.table\.tells\(\w+\.key,\w+\.seq\),`, Put: "",
		}, "chose the record"},
		{"a drag points out nothing", scenario(focusing), scaffold.Edit{
			File: bundle, Find: `return \w+!==void 0&&\(\w+\.seq<\w+\.first\|\|\w+\.seq>\w+\.last\)`, Put: "return!1",
		}, "outside of the focus are"},
		{"a drag with the right button moves nothing", scenario(panning), scaffold.Edit{
			File: bundle, Find: `\.moved&&\w+\.zoomed&&`, Put: ".moved&&!1&&",
		}, "the zoomed line was not moved"},
		{"older turns come by the button only", scenario(upwards), scaffold.Edit{
			File: bundle, Find: `\.scrollTop<\w+\*\w+&&`, Put: ".scrollTop<0&&",
		}, "near the top there are still"},
		{"the conversation forgets where the reader was", scenario(reading), scaffold.Edit{
			File: "plugins/conversation/client.js", Find: `\.set\([\w$]+\.id,\{key`, Put: ".set({},{key",
		}, "the reader was"},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			mutant.from.Edits = []scaffold.Edit{mutant.edit}
			failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant.from) })
			scaffold.WantSeen(t, failures, mutant.says)
		})
	}
}

// What a provider echoed would be found wherever it stood.
func TestALeakWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	leaking := scenario(func(s *scaffold.Stage) {
		s.Open("/s/" + eventful + "/trajectory")
		s.WaitFor(record(seqOf(s, "user", "Was anything odd?")))
		wantSafe(s)
	})
	leaking.Seeds[0].Log = bytes.ReplaceAll(history(), []byte("Thank you."), []byte("It is "+leaked+"."))
	scaffold.WantSeen(t, scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, leaking) }), "the page says what the provider echoed")
}
