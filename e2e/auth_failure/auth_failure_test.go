// Package auth_failure_test lets a provider refuse the key in words that echo it. The person gets our words and the code, nothing is
// tried again, and the provider's words stay in the log, the only place that has them.
package auth_failure_test

import (
	"bytes"
	"strings"
	"testing"

	"keylane/host/session"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	wrong = "Ask with a wrong key."
	good  = "Ask with a good key."
)

// fragments are what the provider echoes of the credential, whole and in pieces, and a piece of its own words.
var fragments = []string{"sk-echoed", "4f7a21c9d0", "21c9d0", "Authentication Fails"}

// conversation is the region that the goldens hold.
var conversation = chromium.Role("main", "Conversation")

func scenario() scaffold.Scenario {
	return scaffold.Scenario{
		Name:    "auth_failure",
		Fixture: true,
		Drive: func(s *scaffold.Stage) {
			s.Open("/")
			s.Send(wrong)
			s.Settle()
			s.Golden("refused", conversation)
			s.Send(good)
			s.Settle()
		},
		Check: func(s *scaffold.Stage) {
			s.WantTurns("error", "completed")
			s.WantPrompts(wrong, good)
			if asked, retries := len(s.Requests()), s.Count(session.TypeRetry); asked != 2 || retries != 0 {
				s.Errorf("the model was asked %d times with %d retries, want 2 and none", asked, retries)
			}
			wantOnlyInTheLog(s)
			s.Golden("settled", conversation)
			s.Reload()
			s.Settle()
			s.Golden("settled", conversation)
			wantOnlyInTheLog(s)
			s.WantDurable()
		},
	}
}

// wantOnlyInTheLog checks that the provider's words are in the log, where turn/end keeps them, and nowhere else.
func wantOnlyInTheLog(s *scaffold.Stage) {
	s.Helper()
	for _, fragment := range fragments {
		kept := false
		for _, event := range s.Events() {
			kept = kept || event.Type == session.TypeTurnEnd && bytes.Contains(event.Data, []byte(fragment))
		}
		if !kept {
			s.Errorf("turn/end does not keep %q, so the log does not tell what the provider said", fragment)
		}
	}
	document, err := chromium.Eval[string](s.Context, s.Page, "document.documentElement.outerHTML")
	if err != nil {
		s.Fatalf("reading the document: %v", err)
	}
	var feed strings.Builder
	for _, event := range s.Page.Events() {
		feed.WriteString(event.String() + "\n")
	}
	wire := s.Wire()
	if !strings.Contains(wire, "The API key is invalid") {
		s.Errorf("the wire does not tell of the failure at all, so this looks in the wrong place")
	}
	for place, text := range map[string]string{
		"the text of the page": s.Text("body"), "the document": document, "the page's console and network": feed.String(),
		"what the host sent": wire, "the report": s.Report(),
	} {
		for _, fragment := range fragments {
			if at := strings.Index(text, fragment); at >= 0 {
				s.Errorf("%s shows %q of the credential: ...%s...", place, fragment, text[max(0, at-80):min(len(text), at+80)])
			}
		}
	}
}

func TestARefusedKeyIsSaidInOurWordsAndNotTriedAgain(t *testing.T) {
	scaffold.Run(t, scenario())
}

// A failure of another code is shown in the provider's words (without what looks like a credential), so words that got through would be seen.
func TestWordsThatGetThroughWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	mutant := scenario()
	mutant.Mutate = func(log []byte) []byte {
		return bytes.ReplaceAll(log, []byte(`"code":"AUTH"`), []byte(`"code":"PROTOCOL"`))
	}
	mutant.Check = wantOnlyInTheLog
	failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "\n")
	for _, place := range []string{"the text of the page", "the document", "what the host sent", "the report"} {
		if !strings.Contains(failures, place+` shows "Authentication Fails"`) {
			t.Errorf("%s showed the provider's words, and it was not seen:\n%s", place, failures)
		}
	}
}
