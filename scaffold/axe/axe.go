// Package axe asks axe-core whether a page can be used by people who do not see it, do not hear it or have no mouse: names, roles,
// contrast, landmarks, focus, languages. It serves any page.
//
//	source, err := axe.Source("//e2e/accessibility")
//	...
//	found, err := axe.Check(ctx, page, source)
//	for _, violation := range found { t.Error(violation) }
//
// [Check] looks at the page as it is: open what is to be looked at before, one state at a time, in each theme, because contrast is half of
// it. It changes nothing that a person sees. What axe-core cannot decide alone ("incomplete") is not reported: a machine's "perhaps" is no
// reason to stop a gate.
//
// axe-core (MPL-2.0, by Deque) is fetched for tests only; nothing of it is in the product.
package axe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"keylane/scaffold/chromium"
)

// Variable is the environment variable by which a test rule names axe.min.js: an absolute path, or one relative to TEST_SRCDIR
// (Bazel's rlocation path).
const Variable = "KEYLANE_AXE"

// Source reads the script that [Variable] names. A test without it must fail, not skip; target is its Bazel label.
func Source(target string) (string, error) {
	path := os.Getenv(Variable)
	if path == "" {
		return "", fmt.Errorf("axe: no axe-core: %s is not set. Run `./bazelw test %s`, which sets it, or set it to the absolute path of axe.min.js", Variable, target)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(os.Getenv("TEST_SRCDIR"), path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("axe: reading axe-core: %w", err)
	}
	return string(text), nil
}

// Impact is how much a violation hinders people, in axe-core's words.
type Impact string

// The impacts, from the least.
const (
	Minor    Impact = "minor"
	Moderate Impact = "moderate"
	Serious  Impact = "serious"
	Critical Impact = "critical"
)

// Violation is one broken rule and everything on the page that breaks it.
type Violation struct {
	// Rule is axe-core's id of it, for example "color-contrast".
	Rule   string `json:"id"`
	Impact Impact `json:"impact"`
	// Help says in a few words what should be.
	Help  string `json:"help"`
	Nodes []Node `json:"nodes"`
}

// Node is an element that breaks a rule.
type Node struct {
	// Target is a selector of it, one for each frame or shadow root on the way.
	Target []json.RawMessage `json:"target"`
	// HTML is its beginning.
	HTML string `json:"html"`
	// Why is what was found, over several lines.
	Why string `json:"failureSummary"`
}

// String says the rule, and each element with why, for a test's output.
func (v Violation) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s): %s", v.Rule, v.Impact, v.Help)
	for _, node := range v.Nodes {
		fmt.Fprintf(&text, "\n  %s\n    %s", node.HTML, strings.ReplaceAll(node.Why, "\n", "\n    "))
	}
	return text.String()
}

// run comes after axe-core's own script, which keeps itself in a variable of the window; that is taken away again, so that the page stays
// as it was.
//
// Its one verb is what to run: tags of rules, or ids of them.
const run = `
try {
  const { violations } = await window.axe.run(document, { resultTypes: ["violations"], runOnly: %s });
  return violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help, nodes: nodes.map(({ target, html, failureSummary }) => ({ target, html: html.slice(0, 300), failureSummary })),
  }));
} finally {
  delete window.axe;
}`

// everything are the tags of all rules of WCAG 2.2 A and AA and of axe-core's best practices.
var everything = []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"}

// Check runs all rules of WCAG 2.2 A and AA and axe-core's best practices over the document, or the named ones only, and returns what breaks
// them.
func Check(ctx context.Context, page *chromium.Page, source string, rules ...string) ([]Violation, error) {
	what := map[string]any{"type": "tag", "values": everything}
	if len(rules) > 0 {
		what = map[string]any{"type": "rule", "values": rules}
	}
	chosen, err := json.Marshal(what)
	if err != nil {
		return nil, fmt.Errorf("axe: naming the rules: %w", err)
	}
	// Evaluated through the debugger, which the page's policy does not bind.
	found, err := chromium.Eval[[]Violation](ctx, page, "(async () => {\n"+source+"\n"+fmt.Sprintf(run, chosen)+"\n})()")
	if err != nil {
		return nil, fmt.Errorf("axe: checking the page: %w", err)
	}
	return found, nil
}

// AtLeast keeps the violations of that impact and above.
func AtLeast(impact Impact, found []Violation) []Violation {
	order := map[Impact]int{Minor: 0, Moderate: 1, Serious: 2, Critical: 3}
	var kept []Violation
	for _, violation := range found {
		if order[violation.Impact] >= order[impact] {
			kept = append(kept, violation)
		}
	}
	return kept
}
