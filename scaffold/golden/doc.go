// Package golden compares what a scenario captured with what a person accepted.
//
// A golden is a file in a directory of its own scenario, one per distinct state. There are two kinds: what a person meets is an
// accessibility tree (<state>.aria, in package aria's format), what only a machine reads, such as the text of a model request, is a
// text as it is (<state>.txt). All rules hold for both.
//
//	normaliser := golden.Normaliser{Literals: []golden.Literal{{Text: cwd, Token: "{{cwd}}"}, {Text: "ws-1234", Token: "{{workspace}}", Word: true}}}
//	goldens := golden.Directory{Path: "goldens/round_trip", Outputs: outputs, Command: "./bazelw run //tools:refresh -- round_trip"}
//	result := goldens.Compare("settled", normaliser.Tree(tree))          // settled.aria
//	result = goldens.CompareText("header", normaliser.String(text))      // header.txt
//	...
//	err := goldens.CheckInventory()    // at the end of the scenario
//
// # Rules
//
//   - Nothing here writes into the source tree: Path is only read. In replay mode a golden that differs or is missing is written to Outputs, in refresh mode
//     every one is; only a command under tools/ copies them from there.
//   - A mismatch does not end a scenario: [Directory.Compare] returns it, so that one run yields every state.
//   - The last line of every error is the exact command that repairs it.
//   - The match is always whole. There are no patterns in goldens.
//   - A directory holds exactly the states that its scenario captures. A state captured twice (after a reload, say) must
//     be the same twice.
//
// # Normalisation
//
// What differs from run to run without meaning anything becomes a token such as {{clock}}, in a text, or in the strings of a tree before they are printed: quoting depends on
// the result. The rules are ordered and few; see [Normaliser]. Words such as "now" or "3 min ago" are no
// rule's business: a scenario that shows them pins the clock.
package golden
