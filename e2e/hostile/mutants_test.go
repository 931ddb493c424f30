package hostile_test

import (
	"strings"
	"testing"

	"keylane/scaffold"
)

// conversation is the bundle that shows what was said.
const conversation = "plugins/conversation/client.js"

// renderer is the part of it that makes HTML of markdown, a file of its own with its content's hash in the name.
const renderer = "assets/parts/*.js"

// The two layers between a stranger's markup and the page: raw HTML is escaped, and what comes out passes an allow-list.
var (
	unescaped   = scaffold.Edit{File: renderer, Find: `html:\(\{text:(\w+)\}\)=>\w+\(\w+\)`, Put: `html:({text:$1})=>$1`}
	unsanitised = scaffold.Edit{File: renderer, Find: `return \w+\.sanitize\((\w+\.parser\(\[\w+\]\)),\w+\?\w+:\w+\)`, Put: `return $1`}
)

// Each layer holds what the other lets through.
func TestOneLayerAloneLetsNoMarkupThrough(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := stranger(t, runs+still)
	mutant.Edits = []scaffold.Edit{unsanitised}
	if failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }); len(failures) > 0 {
		t.Errorf("without the allow-list: %q", failures)
	}
	mutant.Edits = []scaffold.Edit{unescaped}
	for _, failure := range scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }) {
		// The allow-list takes the markup away, so there is nothing to be shown; but nothing is obeyed either.
		if !strings.HasPrefix(failure, "the markup is not shown as the text that it is") {
			t.Errorf("without escaping: %s", failure)
		}
	}
}

// A page without what keeps strangers and their output in check would be seen.
func TestAPageThatLetsItselfBeToldWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, mutant := range []struct {
		name  string
		from  scaffold.Scenario
		edits []scaffold.Edit
		says  []string
	}{
		{"markup is let through", stranger(t, still), []scaffold.Edit{unescaped, unsanitised},
			[]string{"not shown as the text that it is", "has become an element: <script", "has become an element: <form"}},
		// The policy is the last to hold. Its report may come before the page is ready, which ends the scenario there.
		{"markup runs by itself", stranger(t, runs+still), []scaffold.Edit{unescaped, unsanitised},
			[]string{"inline event handler violates the following Content Security Policy"}},
		{"any link works", stranger(t, still), []scaffold.Edit{
			{File: renderer, Find: `return/\^\(https\?:\|mailto:\)/i\.test\(\w+\)\?`, Put: "return!0?"}, unsanitised,
		}, []string{`has become an element: <a href="javascript:`}},
		{"a parser that gives up takes the page with it", deep(t), []scaffold.Edit{
			{File: renderer, Find: `catch\{return\[\{type:"code",raw:\w+,text:\w+,lang:""\}\]\}`, Put: `catch(cause){throw cause}`},
		}, []string{"Maximum call stack"}},
		{"a killed command looks well", killed(t, endings()["signal"]), []scaffold.Edit{
			{File: conversation, Find: `killed:\w+\(\w+\.signal\)!==""\|\|\w+\.timedOut===!0`, Put: "killed:!1"},
		}, []string{"nothing of a failure"}},
		{"a progress bar shows every step", progress(t), []scaffold.Edit{
			{File: conversation, Find: `case"\\r":this\.#\w+=0;return;`, Put: `case"\r":return;`},
		}, []string{"the terminal shows \"10%"}},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			mutant.from.Edits = mutant.edits
			failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant.from) })
			scaffold.WantSeen(t, failures, mutant.says...)
		})
	}
}
