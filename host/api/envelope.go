package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keylane/host/shape"
)

// Code is why a call failed. The set is closed; clients branch on it.
type Code string

// The codes of the methods there are.
const (
	BadRequest            Code = "bad-request"             // details {issues:[…]}
	SessionNotFound       Code = "session-not-found"       // details {sessionId}
	SessionConflict       Code = "session-conflict"        // details {sessionId}
	SessionLocked         Code = "session-locked"          // another host has it open; details {sessionId, pid, hostStartedAt, since}
	SessionDamaged        Code = "session-damaged"         // details {sessionId, path, row, byte, seq, reason}
	SessionUnsupported    Code = "session-unsupported"     // a newer keylane wrote it; details {sessionId}
	SessionUnreadable     Code = "session-unreadable"      // nothing of it can be read; details {sessionId}
	ForkUnavailable       Code = "fork-unavailable"        // details {sessionId}
	ModelUnavailable      Code = "model-unavailable"       // details {provider, model}
	WorkspaceNotFound     Code = "workspace-not-found"     // details {workspaceId}
	WorkspaceInvalidPath  Code = "workspace-invalid-path"  // details {path, reason?}
	WorkspaceNameConflict Code = "workspace-name-conflict" // details {name}
	WorkspaceMoveInvalid  Code = "workspace-move-invalid"  // details {sessionId, beforeId}
	DirectoryUnreadable   Code = "directory-unreadable"    // details {path, reason?}; reasons are those of directory.Reason
	DirectoryExists       Code = "directory-exists"        // details {parent, name, reason}
	DirectoryCreateFailed Code = "directory-create-failed" // details {parent, name, reason?}
	QueueItemNotFound     Code = "queue-item-not-found"    // details {itemId}
	SteerUnavailable      Code = "steer-unavailable"       // details {itemId}
	TitleInvalid          Code = "title-invalid"           // details {}
	CompactionUnavailable Code = "compaction-unavailable"  // details {reason}, see agent.UnavailableError
	SettingsConflict      Code = "settings-conflict"       // the file has another revision; details {revision}
	SettingsRejected      Code = "settings-rejected"       // the file cannot be used; details {file, line, cause}
	CredentialRejected    Code = "credential-rejected"     // details {ref, reason: unknown, invalid or broken}
	SearchUnavailable     Code = "search-unavailable"      // details {}
	Internal              Code = "internal"                // details {}
)

// Error is a failed result.
type Error struct {
	Code    Code           `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

func fail(code Code, message string, details map[string]any) *Error {
	if details == nil {
		details = map[string]any{}
	}
	return &Error{code, message, details}
}

func badRequest(message string, issues ...string) *Error {
	if issues == nil {
		issues = []string{}
	}
	return fail(BadRequest, message, map[string]any{"issues": issues})
}

const typeClientRequest requestType = "client-request"

const (
	typeClientResponse = "client-response"
	typeServerRequest  = "server-request"
	typeServerResponse = "server-response"

	// unknownID answers a request whose id cannot be read.
	unknownID = "invalid-request"
	// maxIDBytes bounds a client's rpcId, which ends up in the log; request's tag says the same.
	maxIDBytes = 256
)

// requestType is what a request is.
type requestType string

type request struct {
	Type    requestType     `json:"type"`
	RPCID   string          `json:"rpcId" wire:"min=1,max=256"`
	Method  string          `json:"method"`
	Payload json.RawMessage `json:"payload" wire:"object"`
}

type response struct {
	Type   string `json:"type"`
	RPCID  string `json:"rpcId"`
	Result result `json:"result"`
}

type result struct {
	OK    bool   `json:"ok"`
	Value any    `json:"value,omitempty"`
	Error *Error `json:"error,omitempty"`
}

type push struct {
	Type    string `json:"type"`
	RPCID   string `json:"rpcId"`
	Method  string `json:"method"`
	Payload any    `json:"payload"`
}

// decode fills v from text, which must have v's shape: whatever else it holds is told, with
// path in front, and then v is not to be used.
func decode(path string, text []byte, s *shape.Shape, v any) []string {
	if issues := s.Check(path, text); issues != nil {
		return issues
	}
	if err := strict.Unmarshal(text, v, strict.RejectUnknownMembers(true)); err != nil {
		return []string{fmt.Sprintf("%s: want %s, got one that cannot be read", path, s.Want())}
	}
	return nil
}

// encode writes v as one line of JSON, with < and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("api: encoding: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// parseRequest reads the envelope of a call of method. The id is usable also when the
// error is not nil.
func (a *API) parseRequest(method string, body []byte) (request, *Error) {
	var r request
	issues := decode("", body, a.shapes.request, &r)
	if issues == nil && r.Method != method {
		issues = []string{fmt.Sprintf("method: want %q, as in the path, got %q", method, r.Method)}
	}
	if issues != nil {
		about := "invalid request envelope"
		if strings.HasPrefix(issues[0], "payload.") {
			about = "invalid payload"
		}
		return request{RPCID: salvageID(body)}, badRequest(about, issues...)
	}
	return r, nil
}

func salvageID(body []byte) string {
	var loose struct {
		RPCID any `json:"rpcId"`
	}
	if err := strict.Unmarshal(body, &loose, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return unknownID
	}
	if id, ok := loose.RPCID.(string); ok && id != "" && len(id) <= maxIDBytes {
		return id
	}
	return unknownID
}
