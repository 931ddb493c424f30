package work_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/record/script"
)

// ask calls a method of the host as another program on the machine would, and returns the value, or the code of the refusal.
func (m *machine) ask(method string, payload map[string]any) (value map[string]any, code string) {
	m.t.Helper()
	body, err := json.Marshal(map[string]any{"type": "client-request", "rpcId": fmt.Sprint(time.Now().UnixNano()), "method": method, "payload": payload})
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	answer, err := http.Post(m.address()+"/api/"+method, "application/json", bytes.NewReader(body))
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	var envelope struct {
		Result struct {
			OK    bool
			Value map[string]any
			Error struct{ Code string }
		}
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		m.t.Fatalf("%s answers %d %q: %v", method, answer.StatusCode, text, err)
	}
	return envelope.Result.Value, envelope.Result.Error.Code
}

// begin is a machine with its host and a person at the start page.
func begin(t *testing.T, prepare ...func(m *machine)) *person {
	t.Helper()
	m := newMachine(t)
	for _, each := range prepare {
		each(m)
	}
	m.boot()
	p := m.person(t)
	p.open("/")
	return p
}

func (p *person) alive(m *model) {
	p.Helper()
	p.do(wants{}, m.plan("Are you there?", script.Say("Still there.")))
	p.until("it answers", `[...document.querySelectorAll("[role=log] article")].at(-1)?.innerText?.includes("Still there.")`)
}

func TestMuchIsPasted(t *testing.T) {
	for _, lines := range []int{10_000, 38_000} { // 310 kB, and more than the window holds
		pasted(t, lines, lines < 20_000)
	}
}

// pasted sends that many lines; whole says that the model sees them all.
func pasted(t *testing.T, lines int, whole bool) {
	p := begin(t)
	m := p.m.model
	j := m.plan(strings.Repeat("All work and no play. 🙂 <b>\n", lines), script.Say("That was long."))
	text, err := json.Marshal(j.prompt)
	p.must(err)
	eval[bool](p, "navigator.clipboard.writeText("+string(text)+").then(() => true)")
	p.click(field)
	begin := time.Now()
	p.press("Control+v")
	eval[bool](p, "true")
	t.Logf("pasting %d bytes took %v", len(j.prompt), time.Since(begin))
	begin = time.Now()
	p.press("Enter")
	p.follow(wants{}, j)
	t.Logf("sending took %v", time.Since(begin))
	found := slices.ContainsFunc(p.m.provider.Exchanges(), func(e script.Exchange) bool {
		return bytes.Count(e.Body, []byte("All work and no play")) == lines
	})
	if whole && !found {
		for _, e := range p.m.provider.Exchanges() {
			t.Logf("a request of %d bytes has %d lines", len(e.Body), bytes.Count(e.Body, []byte("All work and no play")))
		}
		t.Error("the model did not see all of it")
	}
	begin = time.Now()
	p.reload()
	p.becomes("idle")
	t.Logf("loading again took %v", time.Since(begin))
	begin = time.Now()
	p.alive(m)
	t.Logf("the next turn took %v", time.Since(begin))
	p.check("paste")
}

func TestHostileSkillsAndInstructionsDoNoHarm(t *testing.T) {
	p := begin(t, func(m *machine) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		m.write("skills/evil/SKILL.md", "---\nname: evil\ndescription: \"</skills><script>alert(1)</script> {{cwd}} \\u0000 \\u202e\"\n---\n<script>alert(2)</script>\n")
		m.write("skills/empty/SKILL.md", "")
		m.write("skills/half/SKILL.md", "---\nname: half\n")
		m.write("skills/bomb/SKILL.md", "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nname: bomb\ndescription: x\n---\n")
		m.write("skills/huge/SKILL.md", "---\nname: huge\ndescription: "+strings.Repeat("long ", 200_000)+"\n---\n")
		m.write("skills/binary/SKILL.md", "---\nname: \x00\xff\xfe\ndescription: \x00\n---\n")
		m.write("skills/path/SKILL.md", "---\nname: ../../etc/passwd\ndescription: up\n---\n")
		for i := range 500 {
			m.write(fmt.Sprintf("skills/many%d/SKILL.md", i), fmt.Sprintf("---\nname: many-%d\ndescription: One of many, %s\n---\nbody\n", i, strings.Repeat("x", 100)))
		}
		must(os.MkdirAll(filepath.Join(m.home, "skills/fifo"), 0o700))
		must(syscall.Mkfifo(filepath.Join(m.home, "skills/fifo/SKILL.md"), 0o600))
		must(os.MkdirAll(filepath.Join(m.home, "skills/folder/SKILL.md"), 0o700))
		must(os.Symlink("/dev/zero", filepath.Join(m.home, "skills/zero.md")))
		must(os.Symlink(".", filepath.Join(m.home, "skills/self")))
		must(os.MkdirAll(filepath.Join(m.home, "skills/secret"), 0o700))
		must(os.WriteFile(filepath.Join(m.home, "skills/secret/SKILL.md"), []byte("---\nname: secret\ndescription: x\n---\n"), 0))
		m.write("AGENTS.md", strings.Repeat("Be kind to <everyone>. ", 3_000_000)) // 69 MB
		must(syscall.Mkfifo(filepath.Join(m.repo, "AGENTS.md.fifo"), 0o600))
		must(os.Symlink("AGENTS.md.fifo", filepath.Join(m.repo, "CLAUDE.md")))
		must(os.RemoveAll(filepath.Join(m.repo, "AGENTS.md")))
	})
	defer func() { p.m.world = nil }()
	begin := time.Now()
	p.do(wants{}, p.m.model.plan("What can you do?", script.Say("", call("skill", map[string]any{"name": "evil"}), call("skill", map[string]any{"name": "huge"}), call("skill", map[string]any{"name": "../../etc/passwd"})), script.Say("Much.")))
	t.Logf("a turn took %v", time.Since(begin))
	p.click(field)
	p.typed("/")
	p.wait(chromium.Role("listbox", "Commands"))
	p.look("hostile-commands")
	p.typed("ev")
	p.look("hostile-commands-ev")
	p.press("Escape")
	p.must(p.page.Fill(p.Context(), field, ""))
	p.alive(p.m.model)
	exchanges := p.m.provider.Exchanges()
	t.Logf("the last request has %d bytes", len(exchanges[len(exchanges)-1].Body))
	p.look("hostile")
	p.wantQuiet("hostile")
	p.m.wantLogs("hostile")
	p.sample("hostile")
}

func TestAFolderThatIsDeletedMeanwhileIsSaid(t *testing.T) {
	p := begin(t)
	m := p.m
	p.alive(m.model)
	if err := os.Rename(m.repo, m.repo+"-gone"); err != nil {
		t.Fatal(err)
	}
	p.do(wants{}, m.model.plan("Work where nothing is.",
		script.Say("", bash("pwd", "Where am I"), read("README.md"), glob("*"), grep("x", ".")),
		script.Say("", write("new.txt", "hello")),
		script.Say("There is nothing.")))
	p.look("deleted-folder")
	t.Logf("%.3000s", strings.Join(p.said(), "\n"))
	if _, err := os.Stat(m.repo); err == nil {
		t.Error("a tool made the folder again")
	}
	p.click(field)
	p.typed("@re")
	p.must(p.page.Frames(p.Context(), 10))
	p.look("deleted-folder-files")
	p.must(p.page.Fill(p.Context(), field, ""))
	p.reload()
	p.becomes("idle")
	p.click(button("New session"))
	p.until("the start page is there", `location.pathname === "/"`)
	p.look("deleted-folder-start")
	p.alive(m.model)
	p.wantQuiet("deleted folder")
	if err := os.RemoveAll(m.repo); err != nil {
		t.Log(err)
	}
	if err := os.Rename(m.repo+"-gone", m.repo); err != nil {
		t.Fatal(err)
	}
	p.m.wantLogs("deleted folder")
}

// A full disk ends neither the host nor the page, and once there is room work goes on. What the page says in between is looked at (screenshots,
// log) and not asserted: when only a turn's last write fails it says nothing yet.
func TestAFullDiskEndsNothing(t *testing.T) {
	var disk string
	m := newMachine(t)
	disk = m.home
	if err := os.Rename(m.home, m.home+"-was"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=600k"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	t.Cleanup(func() {
		m.kill()
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("%v", err)
		}
	})
	m.write("config.yml", fmt.Sprintf("- id: llm-deepseek\n  config: {baseURL: %q, apiKey: %s}\n", m.provider.URL(), scaffold.ProviderKey))
	m.boot()
	p := m.person(t)
	p.open("/")
	p.alive(m.model)
	fill := filepath.Join(disk, "ballast")
	room := strings.Repeat("x", 1024)
	file, err := os.Create(fill)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = file.WriteString(room)
	}
	_ = file.Close()
	t.Logf("the disk is full: %v", err)
	j := m.model.plan("Write on a full disk.", script.Say("", glob("*.md")), script.Say(strings.Repeat("Nothing fits any more. ", 4000)))
	p.click(field)
	p.typed(j.prompt)
	p.press("Enter")
	p.must(p.page.Frames(p.Context(), 300))
	p.look("disk-full")
	t.Logf("the page is %q: %.3000s", p.now(), eval[string](p, "document.body.innerText"))
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	p.must(p.page.Frames(p.Context(), 180))
	p.look("disk-free")
	t.Logf("the page is %q: %.3000s", p.now(), eval[string](p, "document.querySelector('main').innerText"))
	p.reload()
	p.look("disk-free-reloaded")
	t.Logf("the page is %q: %.3000s", p.now(), eval[string](p, "document.querySelector('main').innerText"))
	p.forgive()
	p.click(button("New session"))
	p.until("the start page is there", `location.pathname === "/"`)
	p.alive(m.model)
	p.check("disk")
}

func TestAProviderThatTalksNonsenseIsSaid(t *testing.T) {
	var mode atomic.Value
	mode.Store("")
	var p *person
	var front *httptest.Server
	stream := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	nonsense := map[string]func(w http.ResponseWriter, r *http.Request){
		"html": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html><script>alert(1)</script>Sign in to the hotel's network</html>")
		},
		"html-502": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(502)
			_, _ = io.WriteString(w, "<html>Bad gateway</html>")
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/login", http.StatusFound)
		},
		"binary":     func(w http.ResponseWriter, _ *http.Request) { stream(w, "data: \x00\xff\xfe\x01\n\n") },
		"no-json":    func(w http.ResponseWriter, _ *http.Request) { stream(w, "data: {\"choices\": [}\n\n") },
		"other-json": func(w http.ResponseWriter, _ *http.Request) { stream(w, "data: [1,2,3]\n\ndata: {\"choices\": 5}\n\n") },
		"nothing":    func(w http.ResponseWriter, _ *http.Request) { stream(w, "") },
		"done-only":  func(w http.ResponseWriter, _ *http.Request) { stream(w, "data: [DONE]\n\n") },
		"error-event": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, "data: {\"error\": {\"message\": \"<b>overloaded</b>\"}}\n\n")
		},
		"closes":       func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"closes-after": func(w http.ResponseWriter, _ *http.Request) { stream(w, ":\n\n"); panic(http.ErrAbortHandler) },
		"call-no-name": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
		},
		"call-index": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":99999999,\"id\":\"a\",\"function\":{\"name\":\"glob\",\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
		},
		"call-negative": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":-1,\"id\":\"a\",\"function\":{\"name\":\"glob\",\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
		},
		"bad-finish": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"bored\"}]}\n\ndata: [DONE]\n\n")
		},
		"endless-line": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			piece := strings.Repeat("x", 1<<16)
			_, _ = io.WriteString(w, "data: ")
			for range 2000 {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
		},
		"large-error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, strings.Repeat("<error> ", 1<<20))
		},
		"lone-surrogate": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\ud800b\\u0000c\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		},
		"status-204": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
	}
	p = begin(t, func(m *machine) {
		front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if f := nonsense[mode.Load().(string)]; f != nil {
				if body, _ := io.ReadAll(r.Body); bytes.Contains(body[max(0, bytes.LastIndex(body, []byte(`"role":`))):], []byte(`"role":"tool"`)) {
					stream(w, "") // a model that calls for ever is another matter
				} else {
					f(w, r)
				}
				return
			}
			m.provider.ServeHTTP(w, r)
		}))
		t.Cleanup(front.Close)
		m.write("config.yml", fmt.Sprintf("- id: llm-deepseek\n  config: {baseURL: %q, apiKey: %s}\n- id: llm-retry\n  config: {maxRetries: 1, baseDelayMs: 50}\n", front.URL, scaffold.ProviderKey))
	})
	names := []string{}
	for name := range nonsense {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		mode.Store(name)
		begin := time.Now()
		p.send("Say something ("+name+").", "Enter")
		p.until("the turn is over", `document.documentElement.dataset.session !== "" && `+state+` === "idle" && [...document.querySelectorAll("[role=log] article")].at(-1)?.getAttribute("aria-label") === "Agent"`)
		said := p.said()
		t.Logf("%s after %v: %.400s", name, time.Since(begin).Round(time.Millisecond), said[len(said)-1])
		p.look("nonsense-" + name)
		p.sample(name)
		p.wantQuiet(name)
	}
	mode.Store("")
	p.alive(p.m.model)
	p.check("nonsense")
}

func TestAHundredMessagesWait(t *testing.T) {
	p := begin(t)
	m := p.m.model
	long := m.plan("Hold on.", script.Say("", bash("sleep 1", "Wait")), script.Say("Done."))
	p.send(long.prompt, "Enter")
	p.becomes("approval")
	jobs := []job{long}
	begin := time.Now()
	for i := range 100 {
		j := m.plan(fmt.Sprintf("Number %d.", i), script.Say(fmt.Sprintf("Answer %d.", i)))
		jobs = append(jobs, j)
		p.send(j.prompt, "Enter")
	}
	t.Logf("100 messages took %v", time.Since(begin))
	p.look("hundred")
	p.click(button("100 queued messages"))
	p.look("hundred-open")
	p.reload()
	begin = time.Now()
	p.follow(wants{}, jobs...)
	t.Logf("answering them took %v", time.Since(begin))
	var order []string
	for _, events := range p.m.sessions() {
		for _, e := range events {
			if e.Type == session.TypeUserMessage {
				if message, _, err := session.MessageOf(e); err == nil && message.Source.Kind == session.SourceUser {
					order = append(order, message.Text())
				}
			}
		}
	}
	for i, j := range jobs {
		if i >= len(order) || order[i] != j.prompt {
			t.Errorf("message %d is not %q", i, j.prompt)
			break
		}
	}
	p.check("hundred")
}

func TestStopAndSendAreToggled(t *testing.T) {
	p := begin(t)
	m := p.m.model
	p.alive(m)
	for i := range 40 {
		p.send(m.plan(fmt.Sprintf("Quick %d.", i), script.Say("", call("glob", map[string]any{"pattern": "**/*.go"})), at(time.Millisecond, script.Say(essay))).prompt, "Enter")
		if i%4 != 3 {
			ctx, cancel := p.within(500 * time.Millisecond)
			_ = p.page.Click(ctx, button("Stop")) // it may be over
			cancel()
		}
		if i%5 == 0 {
			p.press("Escape", "Escape")
		}
	}
	p.becomes("idle")
	p.must(p.page.Frames(p.Context(), 60))
	p.look("toggled")
	t.Logf("the end is %.2000s", strings.Join(p.said()[max(0, len(p.said())-6):], "\n"))
	p.alive(m)
	p.check("toggled")
}

func TestSessionsAreRenamedForkedAndDeletedWhileTheyRun(t *testing.T) {
	p := begin(t)
	m := p.m
	p.alive(m.model)
	id := p.id()
	slow := m.model.plan("Talk slowly.", script.Say("", glob("*.md")), at(20*time.Millisecond, script.Say(essay)))
	p.send(slow.prompt, "Enter")
	p.becomes("running")
	if _, code := m.ask("session.rename", map[string]any{"sessionId": id, "title": "Renamed <b>meanwhile</b>"}); code != "" {
		t.Errorf("rename: %s", code)
	}
	value, code := m.ask("session.fork", map[string]any{"sessionId": id})
	t.Logf("fork of a running session: %v %s", value, code)
	p.until("the title is there", `document.querySelector("h1").innerText.includes("Renamed <b>")`)
	p.follow(wants{}, slow)
	p.check("renamed")
	if fork, ok := value["sessionId"].(string); ok {
		p.open("/s/" + fork)
		p.becomes("idle")
		p.alive(m.model)
		p.look("fork")
	}
	p.open("/s/" + id)
	p.becomes("idle")
	// /compact in the middle of a tool
	j := m.model.plan("Run something.", script.Say("", bash("sleep 2; echo ran", "Sleep")), script.Say("Ran."))
	p.send(j.prompt, "Enter")
	p.becomes("approval")
	p.click(button("Allow once"))
	p.becomes("running")
	p.click(field)
	p.typed("/compact")
	p.press("Enter")
	p.must(p.page.Frames(p.Context(), 20))
	p.look("compact-in-tool")
	p.follow(wants{}, j)
	p.check("compact-in-tool")
	// Deleted while it runs, with a command below it.
	gone := m.model.plan("Run until you are deleted.", script.Say("", bash("sleep 300", "Sleep for long")))
	p.send(gone.prompt, "Enter")
	p.becomes("approval")
	p.click(button("Allow once"))
	p.becomes("running")
	begin := time.Now()
	if _, code := m.ask("session.delete", map[string]any{"sessionId": id}); code != "" {
		t.Errorf("delete: %s", code)
	}
	t.Logf("deleting took %v", time.Since(begin))
	p.must(p.page.Frames(p.Context(), 60))
	p.look("deleted")
	t.Logf("the page is %q at %s: %.1500s", p.now(), p.page.URL(), eval[string](p, "document.querySelector('main').innerText"))
	if left := m.family(); len(left) > 0 {
		t.Errorf("the deleted session has left %q", left)
	}
	if _, there := m.sessions()[id]; there {
		t.Error("the deleted session is on disk")
	}
	p.reload()
	p.look("deleted-reloaded")
	p.click(button("New session").Nth(1))
	p.until("the start page is there", `location.pathname === "/"`)
	p.alive(m.model)
	p.m.wantLogs("deleted")
	p.forgive()
}

func TestACardIsDecidedInTwoTabsAtOnce(t *testing.T) {
	p := begin(t)
	m := p.m.model
	p.alive(m)
	first, second := p.page, p.tab()
	id := p.id()
	p.page = second
	p.open("/s/" + id)
	both := func(do func(page *chromium.Page) error) (errors [2]error) {
		var wait sync.WaitGroup
		for i, page := range []*chromium.Page{first, second} {
			wait.Go(func() { errors[i] = do(page) })
		}
		wait.Wait()
		return errors
	}
	clickBoth := func(name string) {
		for _, page := range []*chromium.Page{first, second} {
			p.page = page
			p.wait(button(name))
		}
		errors := both(func(page *chromium.Page) error {
			_, err := chromium.Eval[bool](p.Context(), page, fmt.Sprintf(`([...document.querySelectorAll("button")].find((e) => (e.getAttribute("aria-label") ?? e.innerText) === %q)?.click(), true)`, name))
			return err
		})
		t.Logf("%s in both: %v", name, errors)
	}
	for i := range 5 {
		j := m.plan(fmt.Sprintf("Run %d.", i), script.Say("", bash(fmt.Sprintf("echo %d >> /dev/null", i), "Run")), script.Say("", call("ask_user_question", map[string]any{"questions": []map[string]any{{"id": "q", "question": fmt.Sprintf("Question %d?", i)}}})), script.Say("Done."))
		p.page = first
		p.send(j.prompt, "Enter")
		clickBoth("Allow once")
		clickBoth("Skip this question")
		for _, page := range []*chromium.Page{first, second} {
			p.page = page
			p.follow(wants{answer: func(int) {}}, j)
		}
	}
	for _, page := range []*chromium.Page{first, second} {
		p.page = page
		p.check("two-tabs")
	}
}

func TestTheHostIsKilledWhileACardWaits(t *testing.T) {
	p := begin(t)
	m := p.m
	p.alive(m.model)
	for _, step := range []script.Reply{
		script.Say("", bash("touch never", "Make a file")),
		script.Say("", call("ask_user_question", map[string]any{"questions": []map[string]any{{"id": "x", "question": "Shall I?", "options": []map[string]string{{"label": "Yes"}}}}})),
	} {
		p.send(m.model.plan("Do it.", step).prompt, "Enter")
		p.becomes("approval", "question")
		m.kill()
		p.until("the page has seen it", `document.documentElement.dataset.connection === "reconnecting"`)
		p.look("killed-with-card")
		m.boot()
		p.becomes("idle")
		p.forgive()
		p.look("back-without-card")
		p.alive(m.model)
		p.check("card")
	}
}
