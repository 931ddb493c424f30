// Package locale_test has the page in English and in Chinese: in browsers that ask for one of them, in one that asks for a language that
// the page does not speak, and chosen in the dialog, from one to the other and back, without a reload. What a switch leaves is held
// against the goldens of browsers that began in that language, so that no word stays behind. Messages are never translated.
package locale_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const sessionID = "session-tongues"

var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

func transcript() []byte {
	return []byte(strings.Join([]string{
		`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}`,
		`{"type":"turn/start","data":{"turn":1}}`,
		`{"type":"step/start","data":{"turn":1,"step":1}}`,
		`{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Say hello in Chinese."}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"你好, that is: hello."}],"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}}},"surfaceOp":"append"}`,
		`{"type":"step/end","data":{"turn":1,"step":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`,
	}, "\n") + "\n")
}

// words are what the two languages call what is clicked.
type words struct{ settings, language string }

var (
	english = words{"Settings", "Language"}
	chinese = words{"设置", "语言"}
	page    = chromium.CSS("#root")
)

func tongue(locale string, drive func(*scaffold.Stage)) scaffold.Scenario {
	return scaffold.Scenario{
		Name: "locale", Page: chromium.ContextOptions{Locale: locale, Now: now},
		Seeds: []scaffold.Seed{{SessionID: sessionID, Log: transcript(), LastActivity: now.Add(-3 * time.Hour)}},
		Drive: drive,
	}
}

// looks pins the page in one language.
func looks(s *scaffold.Stage, language string) {
	s.Helper()
	s.WaitFor(chromium.CSS(`:root[lang="` + language + `"]`))
	s.Golden(language+"-conversation", page)
}

// choose picks a language in the dialog by its own name.
func choose(s *scaffold.Stage, now words, name, language string) {
	s.Helper()
	s.Click(chromium.Role("button", now.settings))
	s.Click(chromium.Role("button", now.language))
	s.Click(chromium.Role("radio", name))
	s.WaitFor(chromium.CSS(`:root[lang="` + language + `"]`))
	s.Settle()
}

// dialog pins the dialog, in the language that was just chosen in it, and closes it.
func dialog(s *scaffold.Stage, language string) {
	s.Helper()
	s.Golden("dialog-"+language, chromium.CSS("dialog[open]"))
	s.Press("Escape")
}

func thereAndBack() scaffold.Scenario {
	return tongue("en-US", func(s *scaffold.Stage) {
		s.Open("/s/" + sessionID)
		looks(s, "en")
		choose(s, english, "中文", "zh")
		dialog(s, "zh")
		looks(s, "zh")
		if text, err := os.ReadFile(filepath.Join(s.Folders.Home, "settings.yml")); err != nil || !strings.Contains(string(text), "preference: zh") {
			s.Errorf("the host has not kept the language: %v\n%s", err, text)
		}
		s.Reload()
		looks(s, "zh")
		choose(s, chinese, "English", "en")
		dialog(s, "en")
		looks(s, "en")
		s.Restart()
		looks(s, "en")
	})
}

func TestALanguageIsChosenThereAndBack(t *testing.T) { scaffold.Run(t, thereAndBack()) }

func TestABrowserIsSpokenToInItsLanguage(t *testing.T) {
	for locale, language := range map[string]string{"en-GB": "en", "zh-CN": "zh", "fr-FR": "en"} {
		t.Run(locale, func(t *testing.T) {
			scaffold.Run(t, tongue(locale, func(s *scaffold.Stage) {
				s.Open("/s/" + sessionID)
				looks(s, language)
			}))
		})
	}
}

// Whoever chose a language keeps it in a browser that asks for another, and gives it back to the browser.
func TestAChoiceWinsOverTheBrowser(t *testing.T) {
	scaffold.Run(t, tongue("zh-CN", func(s *scaffold.Stage) {
		s.Open("/s/" + sessionID)
		choose(s, chinese, "English", "en")
		s.Press("Escape")
		looks(s, "en")
		s.Reload()
		looks(s, "en")
		s.Click(chromium.Role("button", english.settings))
		s.Click(chromium.Role("button", english.language))
		s.Click(chromium.Role("radio", "As the browser says"))
		s.WaitFor(chromium.CSS(`:root[lang="zh"]`))
		s.Settle()
		s.Press("Escape")
		looks(s, "zh")
	}))
}

// A part of the page that keeps the words it began with would be seen after a switch.
func TestAWordThatStaysBehindWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := thereAndBack()
	mutant.Edits = []scaffold.Edit{{File: "plugins/sidebar/client.js", Find: `newSession:"新会话"`, Put: `newSession:"New session"`}}
	failures := scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, "zh-conversation")
}

// So would a document that says the wrong language to whoever reads it aloud.
func TestADocumentInTheWrongLanguageWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := thereAndBack()
	mutant.Edits = []scaffold.Edit{{File: "assets/shell.js", Find: `document\.documentElement\.lang=`, Put: `document.documentElement.title=`}}
	failures := scaffold.TrialWithin(t, 20*time.Second, func(t scaffold.T) { scaffold.Run(t, mutant) })
	scaffold.WantSeen(t, failures, `:root[lang="zh"]`)
}
