package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"keylane/host/llm"
	"keylane/host/session"
)

// foreign has nothing in common with this module's types but its facts.
type foreign struct{ facts session.Failure }

func (f foreign) Error() string                 { return "foreign" }
func (f foreign) FailureFacts() session.Failure { return f.facts }

func TestFactsAreReadFromTheirFieldsAndValidated(t *testing.T) {
	good := session.Failure{Code: "RATE_LIMIT", Message: "slow", Status: 429, RetryAfterMs: 20, RequestID: "r1"}
	for name, c := range map[string]struct {
		err  error
		want session.Failure
	}{
		"nothing":               {nil, session.Failure{}},
		"a foreign type":        {fmt.Errorf("wrapped: %w", foreign{good}), good},
		"our own":               {&llm.Error{Failure: good}, good},
		"a joined one":          {errors.Join(errors.New("x"), foreign{good}), good},
		"no code":               {foreign{session.Failure{Message: "m"}}, session.Failure{Code: "UNKNOWN", Message: "foreign"}},
		"no message":            {foreign{session.Failure{Code: "C"}}, session.Failure{Code: "UNKNOWN", Message: "foreign"}},
		"nonsense is dropped":   {foreign{session.Failure{Code: "C", Message: "m", Status: 7, RetryAfterMs: -1}}, session.Failure{Code: "C", Message: "m"}},
		"a cancel":              {fmt.Errorf("x: %w", context.Canceled), session.Failure{Code: "ABORTED", Message: "the model call was cancelled"}},
		"a deadline":            {context.DeadlineExceeded, session.Failure{Code: "TIMEOUT", Message: "the model call ran out of time"}},
		"a plain cause chain":   {fmt.Errorf("a: %w", errors.New("b")), session.Failure{Code: "UNKNOWN", Message: "a: b"}},
		"an error without text": {errors.New(""), session.Failure{Code: "UNKNOWN", Message: "an error without a text"}},
	} {
		if got := llm.FailureOf(c.err); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestNoCredentialReachesAPerson(t *testing.T) {
	const secret = "sk-abcdef0123456789"
	for _, code := range []string{"AUTH", "SERVER", "INVALID_REQUEST", "HTTP_418", "UNKNOWN", "QUOTA"} {
		for _, text := range []string{
			"Incorrect API key provided: " + secret + ".", "Authentication Fails, Your api key: ****6789 is invalid", "header Authorization: Bearer " + secret,
			`{"api_key":"` + secret + `"}`, "https://user:" + secret + "@host/v1?key=" + secret, "api key = 0123456789abcdef",
		} {
			safe := llm.DisplaySafe(session.Failure{Code: code, Message: text, Status: 401, RequestID: "id " + secret})
			shown := safe.Message + safe.RequestID
			for _, part := range []string{secret, "6789", "0123456789abcdef"} {
				if strings.Contains(shown, part) {
					t.Errorf("%s: %q shows %q", code, text, shown)
				}
			}
			if safe.Code != code || safe.Status != 401 {
				t.Errorf("facts were lost: %+v", safe)
			}
		}
	}
	if got := llm.DisplaySafe(session.Failure{Code: "AUTH", Message: "anything"}); !strings.Contains(got.Message, "API key is invalid") {
		t.Errorf("AUTH shows %q", got.Message)
	}
	plain := session.Failure{Code: "SERVER", Message: "the provider answered 503 Service Unavailable: try the other key later\nline 2", Status: 503}
	if got := llm.DisplaySafe(plain); got != plain {
		t.Errorf("an innocent text was changed: %+v", got)
	}
}

func TestDisplaySafeIsIdempotentAndBounded(t *testing.T) {
	words := rapid.SampledFrom([]string{"api key", ":", "=", " ", "Bearer", "sk-", "abc", "****", "1234", "[hidden]", "token", "\x00", "\n", "https://", "@", "secret", "is", "?key="})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 30).Draw(t, "words"), "") + rapid.String().Draw(t, "rest")
		once := llm.DisplaySafe(session.Failure{Code: "SERVER", Message: text})
		twice := llm.DisplaySafe(once)
		if once != twice {
			t.Fatalf("%q then %q", once.Message, twice.Message)
		}
		if len([]rune(once.Message)) > 2000 {
			t.Fatalf("%d characters", len([]rune(once.Message)))
		}
	})
}
