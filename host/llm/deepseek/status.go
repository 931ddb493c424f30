package deepseek

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"keylane/host/llm"
	"keylane/host/session"
)

// maxErrorBytes is how much of an error's body is read.
const maxErrorBytes = 64 << 10

// maxMessageRunes is how much of what the provider said goes into a failure.
const maxMessageRunes = 4000

// chatError is the vendor's error object; code may be a text or a number.
type chatError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    any    `json:"code"`
}

var (
	quotaWords   = regexp.MustCompile(`(?i)insufficient[ _](balance|quota|credit)|exceeded your current quota|billing|payment required|arrears`)
	contextWords = regexp.MustCompile(`(?i)context[ _-]?(length|window)|maximum context|too many (input )?tokens|prompt is too long|reduce the length`)
)

// codeOf maps an HTTP status and the provider's words to a failure code.
func codeOf(status int, words string) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return llm.CodeAuth
	case status == http.StatusPaymentRequired || (status >= 400 && status < 500 && quotaWords.MatchString(words)):
		return llm.CodeQuota
	case status == http.StatusTooManyRequests:
		return llm.CodeRateLimit
	case status == http.StatusBadRequest && contextWords.MatchString(words):
		return llm.CodeContextWindowExceeded
	case status == http.StatusBadRequest:
		return llm.CodeInvalidRequest
	case status >= 500:
		return llm.CodeServer
	}
	return fmt.Sprintf("HTTP_%d", status)
}

// failureOf reads a response that is not an answer.
func failureOf(response *http.Response, now time.Time) *llm.Error {
	body, readErr := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
	words := strings.TrimSpace(strings.ToValidUTF8(string(body), "\uFFFD"))
	var document struct {
		Error *chatError `json:"error"`
	}
	if json.Unmarshal(body, &document) == nil && document.Error != nil && document.Error.Message != "" {
		words = document.Error.Message
	}
	code := codeOf(response.StatusCode, words+" "+string(body))
	if runes := []rune(words); len(runes) > maxMessageRunes {
		words = string(runes[:maxMessageRunes]) + "…"
	}
	message := fmt.Sprintf("the provider answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		message += " (a redirect, which is not followed: check the base URL)"
	}
	if words != "" {
		message += ": " + words
	}
	return &llm.Error{
		Failure: session.Failure{
			Code: code, Message: message, Status: response.StatusCode, RequestID: requestID(response.Header),
			RetryAfterMs: retryAfter(response.Header.Get("Retry-After"), now).Milliseconds(),
		},
		Cause: readErr,
	}
}

// inStream is the failure of an error that came in the middle of an answer, where there is no status any more.
func (e *chatError) inStream() *llm.Error {
	words := strings.ToLower(e.Type + " " + fmt.Sprint(e.Code) + " " + e.Message)
	code := llm.CodeServer
	switch {
	case strings.Contains(words, "authentication") || strings.Contains(words, "invalid_api_key"):
		code = llm.CodeAuth
	case quotaWords.MatchString(words):
		code = llm.CodeQuota
	case strings.Contains(words, "rate_limit") || strings.Contains(words, "rate limit"):
		code = llm.CodeRateLimit
	case contextWords.MatchString(words):
		code = llm.CodeContextWindowExceeded
	case strings.Contains(words, "invalid_request"):
		code = llm.CodeInvalidRequest
	}
	message := e.Message
	if message == "" {
		message = "the provider reported an error in the middle of its answer"
	}
	return llm.NewError(code, message, nil)
}

func requestID(header http.Header) string {
	for _, name := range []string{"X-Request-Id", "X-Ds-Trace-Id"} {
		if id := header.Get(name); id != "" && len(id) <= 200 {
			return id
		}
	}
	return ""
}

// retryAfter reads the header of RFC 9110: whole seconds, or a date. What makes no sense, and a date that has passed, is no wait.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		const year = 365 * 24 * 3600
		if seconds < 0 || seconds > year {
			return 0
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, date.Sub(now))
}
