package jsonl

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"

	"keylane/host/session"
)

const (
	noProject      = "_no-cwd"
	maxProjectKey  = 251 // UTF-16 units, so that the name with its dashes fits a file system's 255
	compressedName = "session.jsonl.zstd"
	plainName      = "session.jsonl"
)

// literal says whether a UTF-16 unit may stand in a name as it is.
func literal(unit uint16) bool {
	return unit >= 'A' && unit <= 'Z' || unit >= 'a' && unit <= 'z' || unit >= '0' && unit <= '9' || unit == '.' || unit == '_' || unit == '-'
}

func escape(unit uint16) string { return fmt.Sprintf("~%04X", unit) }

// projectName is the directory of all sessions with this cwd. It is lossy on purpose, because people read it: two paths may share one.
func projectName(cwd string) string {
	if cwd == "" {
		return noProject
	}
	var key strings.Builder
	separated := false
	for _, unit := range utf16.Encode([]rune(filepath.Clean(cwd))) {
		switch {
		case unit == '/' || unit == '\\' || unit == ':':
			if !separated {
				key.WriteByte('-')
			}
			separated = true
			continue
		case literal(unit):
			key.WriteByte(byte(unit))
		default:
			key.WriteString(escape(unit))
		}
		separated = false
	}
	name := strings.TrimLeft(key.String(), "-")
	if name == "" {
		name = "root"
	}
	if len(name) > maxProjectKey {
		name = name[:maxProjectKey] // the name is ASCII: bytes are units
	}
	return "--" + name + "--"
}

// sessionName is the directory of a session inside its project. Different ids have different names.
func sessionName(id string) (string, error) {
	switch {
	case id == "":
		return "", errors.New("session id is empty")
	case id == "." || id == "..":
		return strings.Repeat(escape('.'), len(id)), nil
	}
	var name strings.Builder
	for _, unit := range utf16.Encode([]rune(id)) {
		if literal(unit) {
			name.WriteByte(byte(unit))
		} else {
			name.WriteString(escape(unit))
		}
	}
	if name.Len() > 255 {
		return "", fmt.Errorf("session id of %d bytes is too long for a directory name", len(id))
	}
	return name.String(), nil
}

// sessionID is the id a directory name stands for.
func sessionID(name string) (string, bool) {
	var units []uint16
	for i := 0; i < len(name); i++ {
		switch {
		case name[i] == '~' && i+5 <= len(name):
			unit, err := strconv.ParseUint(name[i+1:i+5], 16, 16)
			if err != nil {
				return "", false
			}
			units = append(units, uint16(unit))
			i += 4
		case literal(uint16(name[i])):
			units = append(units, uint16(name[i]))
		default:
			return "", false
		}
	}
	id := string(utf16.Decode(units))
	again, err := sessionName(id)
	return id, err == nil && again == name
}

// Locate is the path of the file of the session with this header; the file may not exist. It is "" for an id that cannot have one.
func (s *Store) Locate(h session.Header) string {
	name, err := sessionName(h.ID)
	if err != nil {
		return ""
	}
	return filepath.Join(s.root, projectName(h.Cwd), name, s.fileName())
}

func (s *Store) fileName() string {
	if s.compressed {
		return compressedName
	}
	return plainName
}

func (s *Store) otherFileName() string {
	if s.compressed {
		return plainName
	}
	return compressedName
}
