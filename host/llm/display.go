package llm

import (
	"regexp"
	"strings"
	"unicode"

	"keylane/host/session"
)

// displayTexts replaces a provider's words altogether where they are known to echo credentials or account data.
var displayTexts = map[string]string{
	CodeAuth:             "The API key is invalid, or it may not use this model. Check the key and try again.",
	"INVALID_CREDENTIAL": "The API key is invalid. Check the key and try again.",
	CodeQuota:            "The provider says that the account has no credit left.",
	CodeRateLimit:        "The provider receives too many requests at the moment. Try again in a while.",
}

// credentials are the shapes in which keys turn up in error texts; a match is replaced as a whole.
var credentials = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bbearer\s+[^\s"',;]+`),
	regexp.MustCompile(`(?i)\bbasic\s+[a-z0-9+/=]{8,}`),
	regexp.MustCompile(`(?i)\b(?:sk|pk|rk|ak|key|token)-[a-z0-9_*.\-]{4,}`),
	regexp.MustCompile(`(?i)\b(?:api[ _-]?key|authorization|access[ _-]?token|secret|password)\b["']?\s*(?:is|was|provided|[:=])+\s*["']?[^\s"',;]+`),
	regexp.MustCompile(`(?i)([?&](?:key|api_key|token|access_token)=)[^&\s"']+`),
	regexp.MustCompile(`://[^/\s@"']+@`),
	regexp.MustCompile(`[A-Za-z0-9_\-]*\*{3,}[A-Za-z0-9_\-]*`),
}

const displayLimit = 2000 // runes; an error page of a proxy must not fill the conversation

// DisplaySafe maps a failure to what a person may see: the code, the status and the wait stay; the words of AUTH and its relatives
// are our own, every other text loses what looks like a credential and its control characters and is cut at 2000 characters.
// It is idempotent. The original stays in the session log only.
func DisplaySafe(f session.Failure) session.Failure {
	safe := session.Failure{Code: f.Code, Status: f.Status, RetryAfterMs: f.RetryAfterMs}
	if text, ok := displayTexts[f.Code]; ok {
		safe.Message = text
		return safe
	}
	safe.RequestID = displayText(f.RequestID)
	safe.Message = displayText(f.Message)
	return safe
}

func displayText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	for _, shape := range credentials {
		text = shape.ReplaceAllString(text, "[hidden]")
	}
	if runes := []rune(text); len(runes) > displayLimit {
		text = string(runes[:displayLimit-1]) + "…"
	}
	return text
}
