package work_test

import (
	"fmt"
	"strings"
	"time"

	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

// round is one round of work: each part ends with everything being checked.
func (p *person) round(n int) {
	p.Helper()
	p.fresh = n%3 == 1
	if p.fresh {
		p.open("/")
	}
	parts := []struct {
		name string
		work func(n int)
	}{
		{"explore", p.explore}, {"change", p.change}, {"build", p.build}, {"questions", p.questions}, {"failures", p.failures},
		{"stops", p.stops}, {"queue", p.queue}, {"composer", p.composer}, {"sessions", p.sessionsAtOnce}, {"restart", p.restarts}, {"compaction", p.fillWindow},
	}
	for _, part := range parts {
		begin := time.Now()
		name := fmt.Sprintf("%d-%s", n, part.name)
		p.Logf("%s %s", begin.Format("15:04:05"), name)
		part.work(n)
		p.check(name)
		p.Logf("%s took %.1f s", name, time.Since(begin).Seconds())
	}
}

func paths(list string) (calls []script.ToolCall) {
	for path := range strings.FieldsSeq(list) {
		calls = append(calls, read(path))
	}
	return calls
}

func glob(pattern string) script.ToolCall { return call("glob", map[string]any{"pattern": pattern}) }

func grep(pattern, path string) script.ToolCall {
	return call("grep", map[string]any{"pattern": pattern, "path": path})
}

func edit(path, before, after string) script.ToolCall {
	return call("edit", map[string]any{"file_path": path, "old_string": before, "new_string": after})
}

func write(path, text string) script.ToolCall {
	return call("write", map[string]any{"file_path": path, "content": text})
}

func todos(entries ...string) script.ToolCall {
	list := []map[string]string{}
	for _, entry := range entries {
		status, content, _ := strings.Cut(entry, ": ")
		list = append(list, map[string]string{"content": content, "status": status})
	}
	return call("todo_write", map[string]any{"todos": list})
}

const essay = `## What I found

The **log** is the one truth; everything else is *derived*. In short:

1. An event is appended, and gets its ` + "`seq`" + `.
2. Two observers see it: persistence, and the wire.
3. The page applies it, and says so.

| room | lines | what it does |
|---|--:|---|
| ` + "`host/session`" + ` | 4000 | the log |
| ` + "`host/agent`" + ` | 3000 | the loop |

` + "```go\nfunc (l *Log) Append(e Event) error {\n\tl.mu.Lock()\n\tdefer l.mu.Unlock()\n\treturn l.apply(e) // strict\n}\n```" + `

> A cache is never believed against the log.

Cost is $O(n)$ in the length of a turn, and $$\sum_{i=1}^{n} i = \frac{n(n+1)}{2}$$ for pages.

`

// explore reads around, many files side by side.
func (p *person) explore(n int) {
	m := p.m.model
	p.do(wants{}, m.plan("Have a look around and tell me how this repository is built.",
		think(strings.Repeat("I should look at the folders first, then at the documents. ", 6), at(4*time.Millisecond, script.Say("I look around.", glob("host/**/*.go"), glob("*.md"), grep("func New", "host"), grep("TODO", ".")))),
		at(3*time.Millisecond, script.Say("", paths("README.md docs/architecture.md go.mod host/clock/clock.go host/session/log.go host/agent/manager.go")...)),
		at(3*time.Millisecond, script.Say("A few more.", paths("host/session/event.go host/session/doc.go host/tool/registry.go host/api/schema.go web/model/window.ts web/model/transcript.ts web/shell/layout.tsx")...)),
		at(8*time.Millisecond, script.Say(essay)),
	))
	p.do(wants{}, m.plan("Where are messages of people handled?",
		think("grep.", script.Say("", grep("TypeUserMessage", "host"), grep("pending", "web/model"), glob("web/plugins/*/client.tsx"))),
		script.Say("", paths("host/session/message.go host/agent/inbox.go web/model/pending.ts web/plugins/queue/client.tsx web/plugins/composer/client.tsx")...),
		script.Say("", call("read", map[string]any{"file_path": "host/session/log.go", "offset": 40, "limit": 60}), call("grep", map[string]any{"pattern": "inbox", "path": "host/agent", "include": "*.go", "ignore_case": true})),
		at(6*time.Millisecond, script.Say(strings.Repeat("In `host/agent/inbox.go`, which is the one place. ", 12))),
	))
	for i := range 4 {
		p.do(wants{}, m.plan(fmt.Sprintf("A short one, number %d of round %d.", i+1, n),
			script.Say("", grep(fmt.Sprintf("error%d", i), "docs"), glob(fmt.Sprintf("e2e/*%d*", i))), at(5*time.Millisecond, script.Say("Nothing there that matters. 没有问题。"))))
	}
}

// change has files written and changed; each change is decided on a card.
func (p *person) change(n int) {
	m := p.m
	note := fmt.Sprintf("notes/round-%d.md", n)
	first := fmt.Sprintf("# Round %d\n\nBuy bread & <tea>.\n", n)
	second := strings.Replace(first, "bread", "rolls", 1)
	p.do(wants{approve: []string{"Allow once"}}, m.model.plan("Write me a note and then correct it.",
		script.Say("", todos("in_progress: Write the note", "pending: Correct it")),
		script.Say("First the note.", write(note, first)),
		script.Say("", read(note)),
		script.Say("", edit(note, "bread", "rolls")),
		script.Say("", todos("completed: Write the note", "completed: Correct it")),
		at(5*time.Millisecond, script.Say("Done: the note is right now.")),
	))
	m.world[note] = second
	m.wantWorld("after the note")

	if p.fresh { // before changes are allowed for the session
		p.reject()
	}

	title, _, _ := strings.Cut(m.original("README.md"), "\n") // any repository's README has a first line
	bare, _, _ := strings.Cut(title, " (round ")              // of the round before
	before, after := title+"\n", fmt.Sprintf("%s (round %d)\n", bare, n)
	readme := strings.Replace(m.original("README.md"), before, after, 1)
	p.do(wants{approve: []string{"Allow for this session"}}, m.model.plan("Say in the README which round this is.",
		script.Say("", read("README.md")),
		script.Say("", edit("README.md", before, after)),
		script.Say("", bash("git diff --stat", "See what changed")),
		at(5*time.Millisecond, script.Say("The heading has it.")),
	))
	m.world["README.md"] = readme
	m.wantWorld("after the README")

	log := fmt.Sprintf("notes/many-%d.txt", n)
	steps := []script.Reply{script.Say("", write(log, "line 0\n"))}
	text := "line 0\n"
	for i := range 8 {
		steps = append(steps, script.Say("", edit(log, fmt.Sprintf("line %d\n", i), fmt.Sprintf("line %d\n", i+1))))
		text = fmt.Sprintf("line %d\n", i+1)
	}
	p.do(wants{}, m.model.plan("Count in a file, one edit at a time.", append(steps, script.Say("Counted."))...))
	m.world[log] = text
}

// reject lets none of it happen.
func (p *person) reject() {
	p.do(wants{approve: []string{"Reject"}}, p.m.model.plan("Remove everything you do not need.",
		script.Say("I would remove all this.", write("README.md", "")),
		script.Say("Then by a command?", bash("rm -rf docs", "Remove the documents")),
		at(5*time.Millisecond, script.Say("You do not want that. I leave it.")),
	))
	p.m.wantWorld("after what was rejected")
}

// build writes a package whose test fails, repairs it, and runs tests that were there before, for real.
func (p *person) build(n int) {
	m := p.m
	folder := fmt.Sprintf("scratch/round%d/", n)
	code := fmt.Sprintf("// Package round%d adds.\npackage round%d\n\n// Add adds.\nfunc Add(a, b int) int { return a - b }\n", n, n)
	test := fmt.Sprintf("package round%d\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(2, 3); got != 5 {\n\t\tt.Fatalf(\"2 + 3 = %%d\", got)\n\t}\n}\n", n)
	run := bash("go test ./"+folder, "Run the new test")
	p.do(wants{approve: []string{"Allow for this session"}}, m.model.plan("Make me a package that adds, with a test.",
		script.Say("", todos("in_progress: Write it", "pending: Test it", "pending: Vet it")),
		script.Say("", write(folder+"add.go", code), write(folder+"add_test.go", test)),
		script.Say("", run),
		think("It subtracts.", script.Say("A slip of mine.", edit(folder+"add.go", "a - b", "a + b"))),
		script.Say("", run),
		script.Say("", bash("go vet ./"+folder+" && gofmt -l "+folder, "Vet and format")),
		script.Say("", todos("completed: Write it", "completed: Test it", "completed: Vet it")),
		at(5*time.Millisecond, script.Say("`go test` is **green**.")),
	))
	m.world[folder+"add.go"], m.world[folder+"add_test.go"] = strings.Replace(code, "a - b", "a + b", 1), test
	m.wantWorld("after the package")

	p.do(wants{approve: []string{"Allow once"}}, m.model.plan("Run the tests of the small rooms.",
		script.Say("", bash("go build ./host/clock ./host/shape", "Build two rooms")),
		script.Say("", bash("go test ./host/clock ./host/shape ./host/home", "Test three rooms")),
		script.Say("", bash("go test -v ./host/shape 2>&1 | head -200", "The same with all names")),
		script.Say("", bash("git log --oneline | head -30; git status --short", "History and status")),
		script.Say("", bash("for i in $(seq 1 40); do printf '\\033[3%dm%d\\033[0m ' $((i % 8)) $i; sleep 0.05; done; echo", "Print in colours, slowly")),
		script.Say("", bash("seq 1 60000", "Print a lot")),
		at(5*time.Millisecond, script.Say("All of them pass.")),
	))
}

// questions has the agent ask, in every way it can.
func (p *person) questions(int) {
	m := p.m.model
	ask := func(questions ...map[string]any) script.ToolCall {
		return call("ask_user_question", map[string]any{"questions": questions})
	}
	options := func(labels ...string) (list []map[string]string) {
		for _, label := range labels {
			list = append(list, map[string]string{"label": label, "description": "What " + label + " would mean"})
		}
		return list
	}
	submit := func() {
		key := eval[string](p, `document.querySelector("[data-question-key]").dataset.questionKey`)
		p.click(button("Submit"))
		p.until("the question is gone", fmt.Sprintf(`document.querySelector('[data-question-key=%q]') === null`, key))
	}
	p.do(wants{answer: func(int) { p.press("2"); submit() }}, m.plan("Ask me which way to go.",
		script.Say("One question.", ask(map[string]any{"id": "way", "question": "Which way?", "header": "Way", "options": options("Left", "Right")})),
		at(5*time.Millisecond, script.Say("So we go right."))))
	p.do(wants{answer: func(int) {
		p.click(chromium.Role("checkbox", "Tests"))
		p.click(chromium.Role("checkbox", "Docs"))
		p.click(chromium.Role("textbox", "Type your answer"))
		p.typed("and a changelog <line>")
		submit()
	}}, m.plan("Ask me what it needs.",
		script.Say("", ask(map[string]any{"id": "needs", "question": "What does it need?", "multi_select": true, "options": options("Tests", "Docs", "Benchmarks")})),
		at(5*time.Millisecond, script.Say("Tests, docs, and a line."))))
	p.do(wants{answer: func(int) {
		p.click(chromium.Role("textbox", "Type your answer"))
		p.typed("Keylane")
		p.press("Enter")
		p.wait(chromium.Role("radio", "Small"))
		p.reload() // in the middle of three questions
		p.becomes("question")
		p.look("question-reloaded")
		if eval[bool](p, `document.querySelector("[data-question-key] textarea").value === "" && document.querySelector('input[type=radio]') === null`) {
			p.Logf("a reload forgets the answers that were not sent")
			p.click(chromium.Role("textbox", "Type your answer"))
			p.typed("Keylane")
			p.press("Enter")
		}
		p.wait(chromium.Role("radio", "Small"))
		p.click(chromium.Role("radio", "Small"))
		p.wait(chromium.Role("region", "Anything else?"))
		key := eval[string](p, `document.querySelector("[data-question-key]").dataset.questionKey`)
		p.click(button("Skip this question"))
		p.until("the question is gone", fmt.Sprintf(`document.querySelector('[data-question-key=%q]') === null`, key))
	}}, m.plan("Ask me three things at once.",
		script.Say("", ask(
			map[string]any{"id": "name", "question": "What is it called?"},
			map[string]any{"id": "size", "question": "How large?", "options": options("Small", "Large")},
			map[string]any{"id": "else", "question": "Anything else?"},
		)),
		at(5*time.Millisecond, script.Say("Thank you."))))
	p.do(wants{answer: func(int) {
		p.click(button("Dismiss all questions"))
		p.until("the question is gone", `document.querySelector('[data-question-key]') === null`)
	}}, m.plan("Ask me something I will not answer.",
		script.Say("", ask(map[string]any{"id": "no", "question": "Are you sure?"})),
		script.Say("", call("skill", map[string]any{"name": "tidy"})),
		script.Say("", call("skill", map[string]any{"name": "nosuch"})),
		at(5*time.Millisecond, script.Say("Then I go on without."))))
}

// failures are the mistakes of models and the troubles of the line.
func (p *person) failures(int) {
	m := p.m.model
	p.do(wants{}, m.plan("Make some mistakes.",
		script.Say("", bash("echo out; echo err >&2; exit 3", "Fail"), read("no/such/file.go"), read("host")),
		script.Say("", script.ToolCall{Name: "read", Arguments: `{"file_path": `}, script.ToolCall{Name: "fly", Arguments: "{}"}, call("grep", map[string]any{"pattern": "(", "path": "host"})),
		script.Say("", call("bash", map[string]any{"command": "sleep 5", "description": "Sleep too long", "timeoutMs": 300})),
		script.Say("", edit("README.md", "the", "a"), read("/etc/hostname"), read("../outside")),
		script.Say("", bash("kill -9 $$", "End myself")),
		at(5*time.Millisecond, script.Say("I made enough of them."))))
	p.do(wants{}, m.plan("Answer although you are busy.", fails(429, 1), at(5*time.Millisecond, script.Say("Here I am, after a second."))))
	p.do(wants{}, m.plan("Answer over a bad line.", cutAfter(5, script.Say("This half is never said")), fails(503, 0), at(5*time.Millisecond, script.Say("This is whole."))))
	p.do(wants{}, m.plan("Call over a bad line.", cutAfter(6, script.Say("", bash("echo never", "Never runs"))), script.Say("", glob("*.md")), script.Say("Called once.")))
	p.do(wants{}, m.plan("Say too much.", endsBy("length", script.Say(strings.Repeat("And so on. ", 300)))))
	p.do(wants{}, m.plan("Say nothing at all.", script.Say(""), script.Say(""), script.Say("")).forgiving(m))
	p.do(wants{}, m.plan("Be refused.", fails(400, 0)))
	p.do(wants{}, m.plan("And be back.", at(5*time.Millisecond, script.Say("I am back."))))
}

// stops ends turns: in an answer, in a command, at a card, at a question.
func (p *person) stops(int) {
	m := p.m.model
	stop := func() {
		p.click(button("Stop"))
		p.becomes("idle")
	}
	p.send(m.plan("Begin and never end.", hangsAfter(6, at(10*time.Millisecond, think("A beginning is easy.", script.Say("This is the beginning and there is no end."))))).prompt, "Enter")
	p.becomes("running")
	p.until("something is said", `[...document.querySelectorAll("[role=log] article")].at(-1)?.innerText?.includes("beginning")`)
	stop()
	p.send(m.plan("Sleep long.", script.Say("", bash("sleep 300; echo no", "Sleep for five minutes"))).prompt, "Enter")
	p.becomes("approval")
	p.click(button("Allow once"))
	p.until("the command runs", `document.querySelector("[data-approval-id]") === null`)
	p.becomes("running")
	stop()
	if left := p.m.family(); len(left) > 0 {
		p.Errorf("after a stop these run: %q", left)
	}
	p.send(m.plan("Wait for my leave.", script.Say("", bash("touch never", "Make a file"))).prompt, "Enter")
	p.becomes("approval")
	stop()
	p.send(m.plan("Ask and be stopped.", script.Say("", call("ask_user_question", map[string]any{"questions": []map[string]any{{"id": "x", "question": "Shall I?"}}}))).prompt, "Enter")
	p.becomes("question")
	stop()
	for i := range 5 {
		p.send(m.plan(fmt.Sprintf("Begin again, %d.", i), hangsAfter(4, script.Say("Once more, and once more."))).prompt, "Enter")
		p.becomes("running")
		stop()
	}
	p.do(wants{}, m.plan("Go on.", at(5*time.Millisecond, script.Say("On we go."))))
}
