package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"
)

// A skeleton is what the scenario's files say.
type skeleton struct {
	Name   string
	Origin string
	Cut    bool // the log ends inside a turn
	story  story
}

//go:embed replay.go.tmpl
var replayTemplate string

//go:embed cold.go.tmpl
var coldTemplate string

//go:embed build.tmpl
var buildTemplate string

// Title is the scenario's name as part of the name of a test.
func (s skeleton) Title() string {
	var out strings.Builder
	for word := range strings.SplitSeq(s.Name, "_") {
		if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

// Prompts are what the person typed, one for each turn.
func (s skeleton) Prompts() []string { return s.story.prompts }

// Reasons are how the turns ended.
func (s skeleton) Reasons() []string { return s.story.reasons }

// Titled says that a model named the session.
func (s skeleton) Titled() bool { return s.story.titled }

// Filled says that a prompt holds the token of something that belongs to a run.
func (s skeleton) Filled() bool { return strings.Contains(strings.Join(s.story.prompts, ""), "{{") }

// print prints BUILD.bazel and the test.
func (s skeleton) print(cold bool) (build, test []byte, err error) {
	source := replayTemplate
	if cold {
		source = coldTemplate
	}
	if test, err = s.fill(source); err != nil {
		return nil, nil, err
	}
	if test, err = format.Source(test); err != nil {
		return nil, nil, fmt.Errorf("printing the test: %w", err)
	}
	build, err = s.fill(buildTemplate)
	return build, test, err
}

func (s skeleton) fill(source string) ([]byte, error) {
	// Tokens of fixtures are in double braces, so the templates' own marks are others.
	parsed, err := template.New("scenario").Delims("<<", ">>").Parse(source)
	if err != nil {
		return nil, fmt.Errorf("reading a template: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("filling a template: %w", err)
	}
	return out.Bytes(), nil
}
