package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
)

// Totals counts test cases; Failures and Skips say which, one line each. Empty are the labels of green targets without a case.
type Totals struct {
	Passed, Failed, Skipped int
	Failures, Skips, Empty  []string
}

// String is the closing line.
func (t Totals) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.Passed, t.Failed, t.Skipped)
}

func (t *Totals) add(other Totals) {
	t.Passed += other.Passed
	t.Failed += other.Failed
	t.Skipped += other.Skipped
	t.Failures = append(t.Failures, other.Failures...)
	t.Skips = append(t.Skips, other.Skips...)
	t.Empty = append(t.Empty, other.Empty...)
}

func (t Totals) cases() int { return t.Passed + t.Failed + t.Skipped }

func (t *Totals) fail(what string) {
	t.Failed++
	t.Failures = append(t.Failures, what)
}

// suite is a <testsuite>, or a <testsuites> around several: JUnit's XML as rules_go and Bazel itself write it.
type suite struct {
	Suites []suite    `xml:"testsuite"`
	Cases  []testCase `xml:"testcase"`
}

type testCase struct {
	Name     string   `xml:"name,attr"`
	Failures []detail `xml:"failure"`
	Errors   []detail `xml:"error"`
	Skips    []detail `xml:"skipped"`
}

type detail struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (c testCase) failed() bool { return len(c.Failures)+len(c.Errors) > 0 }

// readReport counts the cases of one test.xml.
func readReport(label, path string) (Totals, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Totals{}, fmt.Errorf("reading the report of %s: %w", label, err)
	}
	return countReport(label, data)
}

func countReport(label string, data []byte) (Totals, error) {
	var root suite
	if err := xml.Unmarshal(data, &root); err != nil {
		return Totals{}, fmt.Errorf("the report of %s is no JUnit XML: %w", label, err)
	}
	var totals Totals
	count(label, root, &totals)
	return totals, nil
}

func count(label string, s suite, totals *Totals) {
	for _, inner := range s.Suites {
		count(label, inner, totals)
	}
	for _, c := range s.Cases {
		children, failedBelow := 0, 0
		for _, other := range s.Cases {
			if strings.HasPrefix(other.Name, c.Name+"/") {
				children++
				if other.failed() {
					failedBelow++
				}
			}
		}
		switch {
		case c.failed() && failedBelow == 0:
			totals.fail(label + " " + c.Name)
		case c.failed(), children > 0:
			// its sub-tests say it
		case len(c.Skips) > 0:
			totals.Skipped++
			totals.Skips = append(totals.Skips, strings.TrimSpace(label+" "+c.Name+": "+reason(c.Skips[0])))
		default:
			totals.Passed++
		}
	}
}

// reason is the last line of what a skipped case printed: that is where t.Skip's words are.
func reason(d detail) string {
	text := strings.TrimSpace(d.Text)
	if text == "" {
		text = strings.TrimSpace(d.Message)
	}
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" && !strings.HasPrefix(line, "--- SKIP") {
			return line
		}
	}
	return "no reason given"
}
