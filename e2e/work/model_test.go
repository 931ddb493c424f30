package work_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"keylane/scaffold/record/script"
)

// model answers as a plan says. A job is known by its number, which stands in its prompt: "… (job 7)". Each request about a job gets the
// next of its steps, so that retries are steps as well.
type model struct {
	mu    sync.Mutex // guards everything below
	jobs  map[string]*progress
	count int
}

type progress struct {
	steps  []script.Reply
	next   int
	needed int // steps without which it is not over
}

// job is something that a person asks for.
type job struct {
	name   string // "(job 7)"
	prompt string
}

func newModel() *model { return &model{jobs: map[string]*progress{}} }

// plan makes a job of a prompt and the steps that answer it.
func (m *model) plan(prompt string, steps ...script.Reply) job {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	name := fmt.Sprintf("(job %d)", m.count)
	m.jobs[name] = &progress{steps: steps, needed: len(steps)}
	return job{name, prompt + " " + name}
}

// asked says how many of a job's steps were asked for, and how many have to be.
func (m *model) asked(j job) (next, steps int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.jobs[j.name].next, m.jobs[j.name].needed
}

var jobName = regexp.MustCompile(`\(job \d+\)`)

func (m *model) answer(asked script.Asked) (script.Reply, bool) {
	last := asked.Messages[len(asked.Messages)-1].Text
	size := 0
	for _, message := range asked.Messages {
		size += len(message.Text)
	}
	reply, ok := m.reply(asked, last)
	reply.Usage = &script.Usage{InputTokens: size / 8, CacheReadTokens: size / 8, OutputTokens: len(reply.Text)/4 + 1}
	return reply, ok
}

func (m *model) reply(asked script.Asked, last string) (script.Reply, bool) {
	switch {
	case strings.HasPrefix(last, "<message>"):
		return script.Say("Work on keylane"), true
	case strings.HasPrefix(last, "<conversation>"):
		names := jobName.FindAllString(last, -1)
		if len(names) == 0 {
			return script.Say("Nothing was asked for."), true
		}
		return script.Say("- The person asks for one thing after another.\n- The last was " + names[len(names)-1] + "."), true
	}
	for i := len(asked.Messages) - 1; i >= 0; i-- {
		names := jobName.FindAllString(asked.Messages[i].Text, -1)
		if asked.Messages[i].Role != "user" || len(names) == 0 {
			continue
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		found := m.jobs[names[len(names)-1]]
		if found == nil || found.next >= len(found.steps) {
			return script.Reply{}, false
		}
		found.next++
		return found.steps[found.next-1], true
	}
	return script.Reply{}, false
}

// call is one call of a tool.
func call(name string, arguments map[string]any) script.ToolCall {
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // maps of texts and numbers always encode
	}
	return script.ToolCall{Name: name, Arguments: string(text)}
}

func bash(command, description string) script.ToolCall {
	return call("bash", map[string]any{"command": command, "description": description, "timeoutMs": 300_000})
}

func read(path string) script.ToolCall {
	return call("read", map[string]any{"file_path": path})
}

// at gives a reply the pace of a model that is read along: pieces of some characters with a pause before each.
func at(pause time.Duration, reply script.Reply) script.Reply {
	reply.ChunkRunes, reply.Delay = 12, pause
	return reply
}

// think puts reasoning before a reply.
func think(reasoning string, reply script.Reply) script.Reply {
	reply.Reasoning = reasoning
	return reply
}

func fails(status, afterSeconds int) script.Reply {
	reply := script.Say("")
	reply.Error = &script.Error{Status: status, Message: "Slow down please", RetryAfterSeconds: afterSeconds}
	return reply
}

func cutAfter(pieces int, reply script.Reply) script.Reply { reply.CutAfter = pieces; return reply }

func hangsAfter(pieces int, reply script.Reply) script.Reply { reply.HangAfter = pieces; return reply }

func endsBy(finish string, reply script.Reply) script.Reply { reply.Finish = finish; return reply }
