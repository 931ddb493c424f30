package question_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"keylane/host/composition"
	"keylane/host/tool"
	"keylane/host/tool/askuser"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// A host that hands the answer on in another order than it was given would be seen.
func TestAnAnswerInAnotherOrderWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.ReplaceTools("tool-ask-user", func(scope *composition.Scope) []tool.Tool {
		return []tool.Tool{scaffold.Wrapped{
			Tool: askuser.New(composition.Need(scope, askuser.Service)),
			Around: func(ctx context.Context, run func(context.Context, tool.Call) tool.Result, call tool.Call) tool.Result {
				result := run(ctx, call)
				result.Text = strings.Replace(result.Text, `"Roses","Herbs & <salad>"`, `"Herbs & <salad>","Roses"`, 1)
				return result
			},
		}}
	}, askuser.Service)
	mutant.Drive = func(s *scaffold.Stage) { drive(s, func() {}) }
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "has other tool results", `Herbs & <salad>","Roses`)
}

// A page that has forgotten the questions after a reload would be seen.
func TestQuestionsThatAreGoneAfterAReloadWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Edits = []scaffold.Edit{{
		File: "shared/keylane.js", Find: `case"question/requested":`,
		Put: `case"question/requested":if(performance.getEntriesByType("navigation")[0].type==="reload")return;`,
	}}
	mutant.Drive = func(s *scaffold.Stage) {
		s.Open("/")
		s.Send(first)
		s.WaitFor(plants)
		s.Golden("waiting", conversation)
		if err := s.Page.Reload(s.Context); err != nil {
			s.Fatalf("loading the page again: %v", err)
		}
		s.WaitFor(chromium.Role("button", "Stop")) // the composer is in its own place
		s.Golden("waiting", conversation)
	}
	mutant.Check = nil
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "waiting was captured before in this run and is different now", `-  - region "Which plants shall grow in the garden?"`)
}

// A worker that does not tell a tab that comes late what waits would be seen.
func TestQuestionsThatALateTabIsNotToldWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := late()
	mutant.Edits = []scaffold.Edit{{File: "assets/events.js", Find: `case"question/requested":`, Put: `case"question/never":`}}
	failures := scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, `data-busy "true"`, "the trial's 20s are over")
}

// A page that forgets what is half answered when it is loaded again would be seen.
func TestAnswersThatAReloadLosesWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `\(\)=>sessionStorage`, Put: "()=>({getItem:()=>null,setItem(){},removeItem(){}})"}}
	mutant.Drive = func(s *scaffold.Stage) { drive(s, func() {}) }
	scaffold.WantSeen(t, scaffold.TrialWithin(t, 8*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) }), `region "How large is it?"`)
}

// A list that is too wide, and one that does not scroll, would be seen.
func TestQuestionsThatDoNotFitWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	const styles = "plugins/question/client.css"
	for _, mutant := range []struct {
		edit scaffold.Edit
		says string
	}{
		{scaffold.Edit{File: styles, Find: `(\.question-words\{[^}]*)min-width:0;overflow-wrap:anywhere`, Put: "${1}white-space:nowrap"}, "no option is wider than its list"},
		{scaffold.Edit{File: styles, Find: `overflow:hidden auto`, Put: "overflow:visible"}, "the list scrolls"},
	} {
		broken := small()
		broken.Edits = []scaffold.Edit{mutant.edit}
		broken.Drive = func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(first)
			s.WaitFor(plants)
			fits(s)
		}
		broken.Check = nil
		failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) })
		scaffold.WantSeen(t, failures, "it does not hold that "+mutant.says)
	}
}
