package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// Version is the only version of the format there is so far.
const Version = 0

// OriginSubagent is the only Header.Origin there is: the session was started by an agent, not by a person.
const OriginSubagent = "subagent"

// ErrUnsupportedVersion says that a log was written by a newer program. It is not damaged; this program is too old for it.
var ErrUnsupportedVersion = errors.New("log was written by a newer version: upgrade keylane to open it")

// Header describes a session. It is fixed when the session is made and is not part of the event sequence.
type Header struct {
	Version         int    // always Version
	ID              string // non-empty, otherwise free
	CreatedAt       int64  // Unix ms, not negative
	Cwd             string // absolute path of the working directory; "" in logs that predate it
	ParentSession   string // the session this one was forked or delegated from; "" for none
	SeedLength      int    // how many leading events were inherited from ParentSession
	Origin          string // "" or OriginSubagent
	DelegationDepth int    // 0 for a session of a person
	AgentPreset     string // "" for none
}

// headerJSON is the header line. The order of the fields is the order on disk.
type headerJSON struct {
	Type            string  `json:"type"`
	Version         *int    `json:"version,omitempty"`
	ID              *string `json:"id"`
	CreatedAt       *int64  `json:"createdAt"`
	Cwd             *string `json:"cwd,omitempty"`
	ParentSession   string  `json:"parentSession,omitempty"`
	SeedLength      int     `json:"seedLength,omitempty"`
	Origin          string  `json:"origin,omitempty"`
	DelegationDepth *int    `json:"delegationDepth,omitempty"`
	AgentPreset     string  `json:"agentPreset,omitempty"`
}

// Validate says whether h may head a stored log.
func (h Header) Validate() error {
	switch {
	case h.Version != Version:
		return fmt.Errorf("session: header: version %d: %w", h.Version, ErrUnsupportedVersion)
	case h.ID == "":
		return errors.New("session: header: id is empty")
	case h.CreatedAt < 0 || h.CreatedAt > maxSafeInteger:
		return fmt.Errorf("session: header: createdAt %d is not a time in milliseconds", h.CreatedAt)
	case h.Cwd != "" && !filepath.IsAbs(h.Cwd):
		return fmt.Errorf("session: header: cwd %q is not an absolute path", h.Cwd)
	case h.SeedLength < 0 || int64(h.SeedLength) > maxSafeInteger:
		return fmt.Errorf("session: header: seedLength %d is out of range", h.SeedLength)
	case h.Origin != "" && h.Origin != OriginSubagent:
		return fmt.Errorf("session: header: origin %q is not %q", h.Origin, OriginSubagent)
	case h.DelegationDepth < 0 || int64(h.DelegationDepth) > maxSafeInteger:
		return fmt.Errorf("session: header: delegationDepth %d is out of range", h.DelegationDepth)
	}
	return nil
}

// MarshalJSON writes the header line's object: type first, version and delegationDepth always, the other optional fields only when set.
func (h Header) MarshalJSON() ([]byte, error) {
	line := headerJSON{
		Type: "session", Version: &h.Version, ID: &h.ID, CreatedAt: &h.CreatedAt, ParentSession: h.ParentSession,
		SeedLength: h.SeedLength, Origin: h.Origin, DelegationDepth: &h.DelegationDepth, AgentPreset: h.AgentPreset,
	}
	if h.Cwd != "" {
		line.Cwd = &h.Cwd
	}
	return marshalPlain(line)
}

// UnmarshalJSON reads the header line's object as the store does; see ParseHeader.
func (h *Header) UnmarshalJSON(text []byte) error {
	parsed, err := ParseHeader(text, ReadOptions{})
	if err != nil {
		return err
	}
	*h = parsed
	return nil
}

// ParseHeader reads a header line (without its line end). Strict, it demands what Validate demands and that version and delegationDepth
// are there. Lenient, both may be absent and cwd may be any text, because fixtures carry tokens there. Fields nobody knows are ignored.
func ParseHeader(line []byte, o ReadOptions) (Header, error) {
	if err := checkLossless(line, MaxDepth); err != nil {
		return Header{}, fmt.Errorf("session: header: %w", err)
	}
	var parsed headerJSON
	if err := json.Unmarshal(line, &parsed); err != nil {
		return Header{}, fmt.Errorf("session: header: %w", err)
	}
	switch {
	case parsed.Type != "session":
		return Header{}, errors.New(`session: header: not a session header (type is not "session")`)
	case parsed.Version != nil && *parsed.Version != Version:
		return Header{}, fmt.Errorf("session: header: version %d: %w", *parsed.Version, ErrUnsupportedVersion)
	case parsed.Version == nil && !o.Lenient:
		return Header{}, errors.New("session: header: version is missing")
	case parsed.ID == nil:
		return Header{}, errors.New("session: header: id is missing")
	case parsed.CreatedAt == nil:
		return Header{}, errors.New("session: header: createdAt is missing")
	case parsed.DelegationDepth == nil && !o.Lenient:
		return Header{}, errors.New("session: header: delegationDepth is missing")
	case parsed.Cwd != nil && *parsed.Cwd == "":
		return Header{}, errors.New("session: header: cwd is empty")
	}
	header := Header{
		ID: *parsed.ID, CreatedAt: *parsed.CreatedAt, ParentSession: parsed.ParentSession, SeedLength: parsed.SeedLength,
		Origin: parsed.Origin, AgentPreset: parsed.AgentPreset,
	}
	if parsed.Version != nil {
		header.Version = *parsed.Version
	}
	if parsed.DelegationDepth != nil {
		header.DelegationDepth = *parsed.DelegationDepth
	}
	if parsed.Cwd != nil {
		header.Cwd = *parsed.Cwd
	}
	checked := header
	if o.Lenient {
		checked.Cwd = ""
	}
	if err := checked.Validate(); err != nil {
		return Header{}, err
	}
	return header, nil
}
