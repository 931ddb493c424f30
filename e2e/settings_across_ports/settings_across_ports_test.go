// Package settings_across_ports_test runs two hosts on one home, each with a page: what a person chooses in one is chosen in the other, at
// once, whichever of them it was, and an editor that writes into the file is as good as a page. A change that was made for a state that is
// no longer there is refused, by either host. What an earlier keylane kept in the browser goes to the host, once.
package settings_across_ports_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

var (
	trigger = chromium.Role("button", "Settings")
	groups  = chromium.Role("button", "Group by")
)

// transcript is a session, so that there is something to group.
func transcript() []byte {
	return []byte(strings.Join([]string{
		`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`,
		`{"type":"turn/start","data":{"turn":1}}`,
		`{"type":"step/start","data":{"turn":1,"step":1}}`,
		`{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Go."}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Gone."}],"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}}},"surfaceOp":"append"}`,
		`{"type":"step/end","data":{"turn":1,"step":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`,
	}, "\n") + "\n")
}

// two are the same person's pages, on two ports.
type two struct {
	s           *scaffold.Stage
	here, there *chromium.Page
	other       string // the address of the second host
}

func open(s *scaffold.Stage) two {
	s.Helper()
	other := s.Neighbour()
	s.Open("/")
	page, err := s.Page.Context().NewPage(s.Context)
	if err != nil {
		s.Fatalf("opening a page of the other host: %v", err)
	}
	if err := page.Navigate(s.Context, other+"/"); err != nil {
		s.Fatalf("opening the page of the other host: %v", err)
	}
	t := two{s, s.Page, page, other}
	t.await(page, `:root[data-busy="false"]`, "the other host's page")
	return t
}

func (t two) await(page *chromium.Page, selector, what string) {
	t.s.Helper()
	if _, err := page.WaitFor(t.s.Context, chromium.CSS(selector)); err != nil {
		t.s.Fatalf("waiting for %s: %v", what, err)
	}
}

func (t two) click(page *chromium.Page, queries ...chromium.Query) {
	t.s.Helper()
	for _, query := range queries {
		if err := page.Click(t.s.Context, query); err != nil {
			t.s.Fatalf("clicking %s: %v", query, err)
		}
	}
}

// update makes a call of settings.update in a page, for a revision, and returns the answer: "ok" and the new revision, or the code.
func (t two) update(page *chromium.Page, revision, key, value string) (answer, after string) {
	t.s.Helper()
	got, err := chromium.Eval[[]string](t.s.Context, page, fmt.Sprintf(`fetch("/api/settings.update", {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(
		{type: "client-request", rpcId: crypto.randomUUID(), method: "settings.update", payload: {expectedRevision: %q, changes: {%q: %q}}})})
		.then((answer) => answer.json()).then(({result}) => result.ok ? ["ok", result.value.revision] : [result.error.code, result.error.details.revision])`, revision, key, value))
	if err != nil || len(got) != 2 {
		t.s.Fatalf("calling settings.update: %v %q", err, got)
	}
	return got[0], got[1]
}

func agree() scaffold.Scenario {
	return scaffold.Scenario{
		Name:  "settings_across_ports",
		Seeds: []scaffold.Seed{{SessionID: "session-listed", Log: transcript(), LastActivity: time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)}},
		Drive: func(s *scaffold.Stage) {
			t := open(s)
			if strings.HasPrefix(t.there.URL(), s.URL) {
				s.Fatalf("both pages are of %s", s.URL)
			}

			// From here to there, while both are open.
			t.click(t.here, trigger, chromium.Role("button", "Appearance"), chromium.Role("radio", "Dark"))
			t.await(t.there, `:root[data-theme="dark"]`, "the theme of the other host's page")
			// And back: another setting, from the other page.
			t.click(t.there, groups, chromium.Role("menuitemradio", "In one list"))
			t.await(t.here, `[role="tree"][data-grouped="false"]`, "one list of sessions in the first page")
			t.click(t.there, trigger, chromium.Role("button", "Language"), chromium.Role("radio", "中文"))
			t.await(t.here, `:root[lang="zh"]`, "the language of the first page")
			// What new sessions may do is a setting as well: the start page of either host says it.
			t.click(t.there, chromium.Role("button", "通用设置"), chromium.Role("radio", "只读"))
			t.await(t.here, `.composer-access[data-mode="read-only"]`, "the access of new sessions in the first page")
			// Full access takes a second step, and can be left before it.
			full := chromium.Role("radio", "完全访问")
			t.click(t.there, full, chromium.Role("button", "保持不变"))
			t.await(t.there, `.settings-permission input[value="read-only"]:checked:focus`, "what held before")
			t.click(t.there, full, chromium.Role("button", "允许完全访问"))
			t.await(t.here, `.composer-access[data-mode="full"]`, "full access of new sessions in the first page")
			// An editor writes into the file, as editors do.
			path := filepath.Join(s.Folders.Home, "settings.yml")
			text, err := os.ReadFile(path)
			if err != nil {
				s.Fatalf("%v", err)
			}
			edited := strings.Replace(string(text), "preference: zh", "preference: en # by hand", 1)
			if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
				s.Fatalf("%v", err)
			}
			t.await(t.here, `:root[lang="en"][data-theme="dark"]`, "the edited language in the first page")
			t.await(t.there, `:root[lang="en"][data-theme="dark"]`, "the edited language in the other host's page")

			// What was chosen for a state that is gone is refused, by the host that did not change it.
			_, first := t.update(t.here, "", "ui-theme.preference", "light") // any revision is wrong: it tells the right one
			answer, second := t.update(t.here, first, "ui-conversation.busyEnter", "steer")
			if answer != "ok" || second == first {
				s.Errorf("a change for the state that is there: %s, revision %s after %s", answer, second, first)
			}
			if answer, now := t.update(t.there, first, "ui-theme.preference", "light"); answer != "settings-conflict" || now != second {
				s.Errorf("a change for the state before: %s at revision %s, want settings-conflict at %s", answer, now, second)
			}
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "preference: dark") || !strings.Contains(string(text), "# by hand") ||
				!strings.Contains(string(text), "busyEnter: steer") || !strings.Contains(string(text), "groupBy: none") {
				s.Errorf("the file is not what was chosen: %v\n%s", err, text)
			}

			// A page that is opened now begins like the others.
			if err := t.there.Reload(s.Context); err != nil {
				s.Fatalf("reloading: %v", err)
			}
			t.await(t.there, `:root[data-busy="false"][data-theme="dark"][lang="en"]`, "the other host's page, opened again")
			s.Settle()
		},
	}
}

func TestTwoHostsOfOneHomeAgree(t *testing.T) { scaffold.Run(t, agree()) }

// A page that does not listen to its host would go on in its own theme.
func TestAPageThatHearsOfNothingWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := agree()
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `"host/settings-changed"`, Put: `"host/nothing-changed"`}}
	failures := scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "the theme of the other host's page")
}

// old is what an earlier keylane kept in the browser.
func moves() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "settings_across_ports",
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			if _, err := chromium.Eval[bool](s.Context, s.Page, `localStorage.setItem("keylane.busyEnter", "steer"); localStorage.setItem("keylane.groupBy", "workspace"); true`); err != nil {
				s.Fatalf("%v", err)
			}
			s.Reload()
			text, err := os.ReadFile(filepath.Join(s.Folders.Home, "settings.yml"))
			if err != nil || !strings.Contains(string(text), "busyEnter: steer") {
				s.Errorf("the browser's choice did not go to the host: %v\n%s", err, text)
			}
			left, err := chromium.Eval[[]string](s.Context, s.Page, `Object.keys(localStorage).filter((key) => key === "keylane.busyEnter" || key === "keylane.groupBy")`)
			if err != nil || len(left) > 0 {
				s.Errorf("in the browser are still %q (%v)", left, err)
			}
		},
	}
}

func TestWhatTheBrowserKeptGoesToTheHostOnce(t *testing.T) { scaffold.Run(t, moves()) }

// A choice that is dropped on the way would be missing on the host.
func TestAChoiceOfTheBrowserThatIsDroppedWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := moves()
	mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `"keylane\.busyEnter"`, Put: `"keylane.nothing"`}}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "the browser's choice did not go to the host", "in the browser are still")
}

const broken = "# by hand\nlocale:\n  preference: zh\n  preference: en\n"

// mends begins with a file that is none, tries to change something, and mends the file.
func mends() scaffold.Scenario {
	return scaffold.Scenario{
		Name: "settings_across_ports",
		Prepare: func(folders scaffold.Folders) error {
			return os.WriteFile(filepath.Join(folders.Home, "settings.yml"), []byte(broken), 0o600)
		},
		Drive: func(s *scaffold.Stage) {
			path := filepath.Join(s.Folders.Home, "settings.yml")
			s.Open("/")
			s.Click(trigger)
			s.Click(chromium.Role("button", "Appearance"))
			s.Golden("broken", chromium.Role("dialog", "Settings"))
			s.Click(chromium.Role("radio", "Dark"))
			s.WaitFor(chromium.RoleContaining("StaticText", "The setting was not changed."))
			s.Settle()
			s.Golden("refused", chromium.Role("dialog", "Settings"))
			if text, err := os.ReadFile(path); err != nil || string(text) != broken {
				s.Errorf("the broken file was written over: %v\n%s", err, text)
			}
			if err := os.WriteFile(path, []byte("# by hand\nlocale:\n  preference: zh\n"), 0o600); err != nil {
				s.Fatalf("%v", err)
			}
			s.WaitFor(chromium.CSS(`:root[lang="zh"]`))
			s.Click(chromium.Role("radio", "深色"))
			s.WaitFor(chromium.CSS(`:root[data-theme="dark"]`))
			s.Settle()
			s.Golden("mended", chromium.Role("dialog", "设置"))
			want := "# by hand\nlocale:\n  preference: zh\nui-theme:\n  preference: dark\n"
			if text, err := os.ReadFile(path); err != nil || string(text) != want {
				s.Errorf("the mended file is not what was chosen: %v\n%s", err, text)
			}
		},
	}
}

func TestABrokenFileIsToldAndKept(t *testing.T) { scaffold.Run(t, mends()) }

// A page that says nothing of a refusal would leave the person with a choice that does not hold.
func TestARefusalThatIsSwallowedWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := mends()
	mutant.Edits = []scaffold.Edit{{File: "plugins/settings/client.js", Find: `failed:"The setting was not changed\."`, Put: `failed:""`}}
	failures := scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "The setting was not changed.")
}
