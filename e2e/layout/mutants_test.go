package layout_test

import (
	"testing"
	"time"

	"keylane/scaffold"
)

// Columns that go too far, forget, remember, or push what is read would be seen.
func TestEachChangeIsSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	const shell, shared = "assets/shell.js", "shared/keylane.js"
	for _, mutant := range []struct {
		name  string
		from  func(*scaffold.Stage)
		width int
		edit  scaffold.Edit
		says  string
	}{
		{"the separator of the details is moved the wrong way", byMouse, 1680, scaffold.Edit{
			File: shell, Find: `==="left"\?1:-1`, Put: `==="left"?1:1`,
		}, "after a drag of the details: the details reaches"},
		{"a column is as wide as anybody wants", byMouse, 1680, scaffold.Edit{
			File: shell, Find: `Math\.round\(Math\.max\((\w+),Math\.min\((\w+),(\w+)\)\)\)`, Put: `Math.round($3)`,
		}, "as wide as can be"},
		{"Enter does not collapse", byKeys, 1680, scaffold.Edit{
			File: shell, Find: `\.key==="Enter"`, Put: `.key==="F9"`,
		}, `there is no separator "Resize sidebar"`},
		{"the centre gives way first", shrinking, 1680, scaffold.Edit{
			File: shell, Find: `=640,`, Put: "=320,",
		}, "1300 pixels wide: the details reaches"},
		{"another session keeps the details", leaving, 1680, scaffold.Edit{
			File: shared, Find: `(\{)\w+\.value=void 0,(\w+)=void 0\}`, Put: "$1$2=void 0}",
		}, "back at the first: the details reaches"},
		{"a sheet where there is room", middling, 1024, scaffold.Edit{
			File: shell, Find: `\w+\.value\?"column":(\w+)\.value\?"sheet":"closed"`, Put: `$1.value?"sheet":"closed"`,
		}, `there is complementary "Details"`},
		{"the drawer is a column", small, 480, scaffold.Edit{
			File: shared, Find: `\(max-width: 767px\)`, Put: "(max-width: 7px)",
		}, "480 pixels wide: the sidebar reaches"},
		{"lines that break anew push what is read", reading, 1680, scaffold.Edit{
			File: "plugins/conversation/client.js", Find: `(\w+)\.value&&\w+!==(\w+)\.clientWidth`, Put: "!1",
		}, "the reader was at"},
		{"a link to a record is only one to its session", links, 1680, scaffold.Edit{
			File: shared, Find: `\.get\("event"\)`, Put: `.get("record")`,
		}, `there is complementary "Details"`},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			broken := opened(t, mutant.width, mutant.from)
			broken.Edits = []scaffold.Edit{mutant.edit}
			failures := scaffold.TrialWithin(t, 15*time.Second, func(t scaffold.T) { scaffold.Run(t, broken) })
			scaffold.WantSeen(t, failures, mutant.says)
		})
	}
}
