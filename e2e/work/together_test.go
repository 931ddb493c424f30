package work_test

import (
	"fmt"
	"strings"
	"time"

	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

// forgiving lets a job be over before all its steps were asked for.
func (j job) forgiving(m *model) job {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs[j.name].needed = 1
	return j
}

// queue sends while a turn runs: messages wait, are edited, moved, removed and steered.
func (p *person) queue(n int) {
	m := p.m.model
	long := m.plan("Work on something long.", script.Say("", bash(fmt.Sprintf("sleep 6; echo done %d", n), "Take a while")), script.Say("", glob("*.md")), at(5*time.Millisecond, script.Say("That took a while.")))
	p.send(long.prompt, "Enter")
	p.becomes("approval")
	var waiting []job
	for i := range 5 {
		j := m.plan(fmt.Sprintf("Then number %d.", i), script.Say("", glob(fmt.Sprintf("*%d*", i))), at(5*time.Millisecond, script.Say(fmt.Sprintf("Number %d is done.", i))))
		waiting = append(waiting, j)
		p.send(j.prompt, "Enter")
	}
	p.wait(button("5 queued messages"))
	p.click(button("5 queued messages"))
	p.look("queue")
	row := func(j job, name string) chromium.Query {
		item := eval[string](p, fmt.Sprintf(`[...document.querySelectorAll("[data-queue-item]")].find((e) => e.innerText.includes(%q)).dataset.queueItem`, j.name))
		return button(name).Within(chromium.CSS(fmt.Sprintf("[data-queue-item=%q]", item)))
	}
	order := func(what string, want ...job) {
		p.Helper()
		var test []string
		for i, j := range want {
			test = append(test, fmt.Sprintf(`rows[%d]?.innerText.includes(%q)`, i, j.name))
		}
		p.until(what, fmt.Sprintf(`(() => { const rows = [...document.querySelectorAll("[data-queue-item]")]; return rows.length === %d && %s })()`, len(want), strings.Join(test, " && ")))
	}
	p.click(row(waiting[4], "Move queued message up"))
	order("the last is one up", waiting[0], waiting[1], waiting[2], waiting[4], waiting[3])
	p.click(row(waiting[0], "Remove queued message"))
	order("the first is gone", waiting[1], waiting[2], waiting[4], waiting[3])
	p.click(row(waiting[2], "Edit queued message"))
	p.click(chromium.Role("textbox", "Queued message"))
	p.press("End")
	p.typed(" Please.")
	p.press("Enter")
	p.until("the edit is there", `document.querySelector("[data-queue-dock] textarea") === null && document.querySelector("[data-queue-dock]").innerText.includes("Please.")`)
	p.becomes("approval")
	p.reload() // with a card and a queue
	p.becomes("approval")
	steered := m.plan("Do this at once.", at(5*time.Millisecond, script.Say("At once, as you say.")))
	p.click(button("Allow once"))
	p.until("the command runs", `document.querySelector("[data-approval-id]") === null`)
	p.send(steered.prompt, "Control+Enter")
	p.follow(wants{}, steered, waiting[1], waiting[2], waiting[3], waiting[4])
	if text := strings.Join(p.said(), "\n"); strings.Contains(text, waiting[0].name) || strings.Count(text, waiting[2].name) != 1 || !strings.Contains(text, waiting[2].name+" Please.") {
		p.Errorf("the queue's messages are not in the conversation as they were left:\n%.3000s", text)
	}
	for i, j := range waiting[1:] {
		if next, steps := m.asked(j); next != steps {
			p.Errorf("queued message %d was answered with %d of %d steps", i+1, next, steps)
		}
	}
}

// composer uses what the field can do besides.
func (p *person) composer(n int) {
	m := p.m.model
	p.click(field)
	p.typed(fmt.Sprintf("/title Round %d of my work", n))
	p.press("Enter")
	p.until("the title is there", fmt.Sprintf(`document.querySelector("h1").innerText.includes("Round %d")`, n))
	p.click(field)
	p.typed("Read @readm")
	p.wait(chromium.Role("option", "README.md"))
	p.press("Enter")
	j := m.plan("please.", script.Say("", read("README.md")), at(5*time.Millisecond, script.Say("I read it.")))
	p.typed(j.prompt)
	p.press("Enter")
	p.prompts++
	p.follow(wants{}, j)
	p.must(p.page.Focus(p.Context(), chromium.Role("combobox", "Model")))
	key := "ArrowDown"
	if n%2 == 0 {
		key = "ArrowUp"
	}
	p.press(key)
	p.becomes("idle")
	p.do(wants{}, m.plan("With another model.", at(5*time.Millisecond, script.Say("I am another one."))))
	p.click(field)
	p.press("ArrowUp")
	if got := eval[string](p, `document.querySelector(".composer textarea").value`); !strings.HasPrefix(got, "With another model.") {
		p.Errorf("ArrowUp recalls %q", got)
	}
	p.must(p.page.Fill(p.Context(), field, ""))
	p.press("?")
	p.must(p.page.Fill(p.Context(), field, ""))
	p.do(wants{}, m.plan("/tidy the code", script.Say("", call("skill", map[string]any{"name": "tidy"})), script.Say("Tidied.")))
}

// sessionsAtOnce has two sessions work while the person goes to and fro, in two tabs.
func (p *person) sessionsAtOnce(n int) {
	m := p.m.model
	first := p.id()
	slow := m.plan("Talk slowly.", script.Say("", glob("docs/*.md")), at(60*time.Millisecond, script.Say(essay, bash("echo first", "Say first"))), at(5*time.Millisecond, script.Say("The first is done.")))
	p.send(slow.prompt, "Enter")
	p.becomes("running")
	p.click(button("New session"))
	p.until("the start page is there", `location.pathname === "/"`)
	second := m.plan(fmt.Sprintf("Work beside it, round %d.", n), script.Say("", paths("README.md go.mod CHANGELOG.md")...), at(40*time.Millisecond, script.Say(strings.Repeat("I work beside it. ", 80))))
	p.send(second.prompt, "Enter")
	p.until("the second session is there", fmt.Sprintf(`document.documentElement.dataset.session !== "" && document.documentElement.dataset.session !== %q`, first))
	p.becomes("running")
	other := p.id()
	for range 3 {
		for _, id := range []string{first, other} {
			p.click(chromium.CSS(fmt.Sprintf("[data-session-id=%q]", id)))
			p.until("the session is open", fmt.Sprintf(`document.documentElement.dataset.session === %q`, id))
		}
	}
	p.reload() // while both run
	p.look("two-run")
	// Another tab of the second one.
	mine := p.page
	p.page = p.tab()
	p.open("/s/" + first)
	p.follow(wants{}, slow)
	said := p.said()
	p.look("other-tab")
	both := m.plan("Seen in both tabs.", at(10*time.Millisecond, script.Say("Both tabs see this.")))
	p.do(wants{}, both)
	p.must(p.page.Close(p.Context()))
	p.page = mine
	if len(said) == 0 {
		p.Errorf("the other tab shows nothing")
	}
	p.follow(wants{}, second)
	p.check(fmt.Sprintf("%d-beside", n))
	p.click(chromium.CSS(fmt.Sprintf("[data-session-id=%q]", first)))
	p.until("the first session is open again", fmt.Sprintf(`document.documentElement.dataset.session === %q`, first))
	p.until("the answer from the other tab is there", `[...document.querySelectorAll("[role=log] article")].at(-1).innerText.includes("Both tabs see this.")`)
}

// restarts ends the host in the middle of an answer, as a person does and as a crash does, while the page is open.
func (p *person) restarts(n int) {
	m := p.m
	for _, end := range []func(){m.stop, m.kill} {
		p.send(m.model.plan("Talk until the host ends.", hangsAfter(20, at(10*time.Millisecond, script.Say(essay)))).prompt, "Enter")
		p.becomes("running")
		p.until("something is said", `[...document.querySelectorAll("[role=log] article")].at(-1).innerText.includes("What I found")`)
		end()
		p.until("the page has seen it", `document.documentElement.dataset.connection === "reconnecting"`)
		p.look("host-gone")
		m.boot()
		p.becomes("idle")
		p.forgive()
		p.do(wants{}, m.model.plan("Are you back?", script.Say("", glob("*.md")), at(5*time.Millisecond, script.Say("I am back."))))
	}
	p.do(wants{}, m.model.plan(fmt.Sprintf("Still there in round %d?", n), at(5*time.Millisecond, script.Say("Still here."))))
}

// fillWindow reads so much that the host has to summarise, and asks for it once by hand.
func (p *person) fillWindow(int) {
	m := p.m.model
	large := strings.Fields(run(p.T, p.m.repo, "sh", "-c", "git ls-files -s | awk '{print $4}' | grep -E '[.](go|ts|tsx|md|css)$' | xargs ls -S | head -24"))
	var steps []script.Reply
	for i := 0; i < len(large); i += 4 {
		var calls []script.ToolCall
		for _, path := range large[i:min(i+4, len(large))] {
			calls = append(calls, read(path))
		}
		steps = append(steps, script.Say("Some more.", calls...))
	}
	p.do(wants{}, m.plan("Read everything that is large.", append(steps, at(5*time.Millisecond, script.Say("I have read all of it.")))...))
	p.do(wants{}, m.plan("And now?", at(5*time.Millisecond, script.Say("Now I know it."))))
	p.click(field)
	p.typed("/compact")
	p.press("Enter")
	p.until("it is said", `document.querySelector(".composer-notice, .composer [role=alert]") !== null`)
	p.becomes("idle")
	p.do(wants{}, m.plan("What did I want?", at(5*time.Millisecond, script.Say("One thing after another."))))
}
