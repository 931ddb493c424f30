package real_adapter_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"

	"keylane/host/session"
	"keylane/scaffold"
)

// A vendorRequest is what came, in the words of the vendor's public documentation and not of the adapter's types.
type vendorRequest struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Role      string  `json:"role"`
		Content   *string `json:"content"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
		ToolCallID string `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Parameters  struct {
				Type       string                     `json:"type"`
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

// wantRequests checks every request that came: its model and options, its tools, and the roles of its messages, with the names of the
// tools called ("system user assistant+bash tool").
func wantRequests(s *scaffold.Stage, roles ...string) {
	s.Helper()
	var got []string
	for i, exchange := range s.Provider.Exchanges() {
		var request vendorRequest
		if err := json.Unmarshal(exchange.Body, &request); err != nil {
			s.Fatalf("request %d is not JSON: %v", i+1, err)
		}
		if request.Model != "deepseek-v4-flash" || !request.Stream || !request.StreamOptions.IncludeUsage {
			s.Errorf("request %d asks for model %q, stream %v, usage %v", i+1, request.Model, request.Stream, request.StreamOptions.IncludeUsage)
		}
		wantTools(s, i+1, request)
		var line []string
		called := ""
		for _, message := range request.Messages {
			word := message.Role
			for _, call := range message.ToolCalls {
				word += "+" + call.Function.Name
				called = call.ID
			}
			if message.Role == "tool" && (called == "" || message.ToolCallID != called) {
				s.Errorf("request %d has a result of call %q, the call before it is %q", i+1, message.ToolCallID, called)
			}
			if message.Role == "system" && (message.Content == nil || !strings.Contains(*message.Content, s.Folders.Workspace)) {
				s.Errorf("request %d has a system message that does not say where the agent works", i+1)
			}
			line = append(line, word)
		}
		got = append(got, strings.Join(line, " "))
	}
	if diff := cmp.Diff(roles, got); diff != "" {
		s.Errorf("the requests have other messages (-want +got):\n%s", diff)
	}
}

// wantTools checks that a request offers tools with their schemas. Which ones is pinned by the scenario composition.
func wantTools(s *scaffold.Stage, n int, request vendorRequest) {
	s.Helper()
	bash := false
	for _, tool := range request.Tools {
		schema := tool.Function.Parameters
		if tool.Type != "function" || tool.Function.Description == "" || schema.Type != "object" {
			s.Errorf("request %d offers the tool %q without what the vendor asks for: %+v", n, tool.Function.Name, tool)
		}
		bash = bash || tool.Function.Name == "bash" && len(schema.Properties["command"]) > 0
	}
	if !bash {
		s.Errorf("request %d offers no bash with a command", n)
	}
}

// wantNoReasoning checks that what the model thought, which the person sees, is not sent back: the vendor refuses it.
func wantNoReasoning(s *scaffold.Stage, words string) {
	s.Helper()
	if !strings.Contains(s.Text("body"), words) {
		s.Errorf("the page does not show the reasoning %q, so there is nothing to keep back", words)
	}
	for i, exchange := range s.Provider.Exchanges() {
		if strings.Contains(string(exchange.Body), words) {
			s.Errorf("request %d sends the reasoning %q back", i+1, words)
		}
	}
}

// wantKeyInItsPlace checks that the key is in the Authorization header of every request and nowhere else: not in another header or a body,
// not in the log, on the wire, on the page or in a report.
func wantKeyInItsPlace(s *scaffold.Stage) {
	s.Helper()
	without := func(what, text string) {
		s.Helper()
		if strings.Contains(text, scaffold.ProviderKey) {
			s.Errorf("the key is in %s", what)
		}
	}
	for i, exchange := range s.Provider.Exchanges() {
		if got := exchange.Header.Values("Authorization"); len(got) != 1 || got[0] != "Bearer "+scaffold.ProviderKey {
			s.Errorf("request %d has the authorization %q", i+1, got)
		}
		for name, values := range exchange.Header {
			if name != "Authorization" {
				without(fmt.Sprintf("the header %s of request %d", name, i+1), strings.Join(values, " "))
			}
		}
		without(fmt.Sprintf("the body of request %d", i+1), string(exchange.Body))
	}
	for _, event := range s.Events() {
		without(fmt.Sprintf("event %d, a %s", event.Seq, event.Type), string(event.Data))
	}
	without("what pages were told", s.Wire())
	without("the page", s.Text("body"))
	without("the report", s.Report())
}

// wantUsage checks what the steps cost, in order, as the log has it.
func wantUsage(s *scaffold.Stage, want ...string) {
	s.Helper()
	number := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	var got []string
	for _, event := range s.Events() {
		if event.Type != session.TypeAssistantMessage {
			continue
		}
		var message session.AssistantMessage
		if err := json.Unmarshal(event.Data, &message); err != nil {
			s.Fatalf("reading an answer: %v", err)
		}
		if usage := message.Usage; usage != nil {
			got = append(got, fmt.Sprintf("%d read, %d reasoned, %d in, %d out", number(usage.CacheReadTokens), number(usage.ReasoningTokens), usage.InputTokens, usage.OutputTokens))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("the steps cost otherwise (-want +got):\n%s", diff)
	}
}

// wantRetries checks why attempts were made again, in order: the code, the vendor's id of a refused request, and the wait it asked for.
func wantRetries(s *scaffold.Stage, want ...string) {
	s.Helper()
	var got []string
	for _, event := range s.Events() {
		if event.Type != session.TypeRetry {
			continue
		}
		var retry session.Retry
		if err := json.Unmarshal(event.Data, &retry); err != nil {
			s.Fatalf("reading a retry: %v", err)
		}
		line := retry.Failure.Code
		if retry.Failure.RequestID != "" {
			line += " " + retry.Failure.RequestID
		}
		if retry.Failure.RetryAfterMs > 0 {
			line += fmt.Sprintf(" after %d ms", retry.DelayMs)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("other attempts were made again (-want +got):\n%s", diff)
	}
}
