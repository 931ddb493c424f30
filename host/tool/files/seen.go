package files

import (
	"crypto/sha256"
	"path/filepath"
	"sync"
)

// seenFiles bounds how many files are remembered, over all sessions; the oldest is forgotten first.
const seenFiles = 4096

// seen remembers what the agents have seen of files: the content of a file when a session last read or changed it. It is there for
// write, which replaces a whole file: what the person changed in it since, the agent cannot know of, and would undo. An edit needs no
// such care, because the text it replaces must be there. What was never read, or before the host was started, is not known to have
// changed.
type seen struct {
	mu    sync.Mutex // guards the rest
	files map[seenFile][sha256.Size]byte
	order []seenFile
}

type seenFile struct{ sessionID, path string }

func newSeen() *seen { return &seen{files: map[seenFile][sha256.Size]byte{}} }

func digest(content string) [sha256.Size]byte { return sha256.Sum256([]byte(content)) }

// saw remembers a content.
func (s *seen) saw(sessionID, path string, content [sha256.Size]byte) {
	file := seenFile{sessionID, path}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.files[file]; !ok {
		s.order = append(s.order, file)
		if len(s.order) > seenFiles {
			delete(s.files, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.files[file] = content
}

// changed tells whether a session has seen another content of the file than this one.
func (s *seen) changed(sessionID, path string, content [sha256.Size]byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.files[seenFile{sessionID, path}]
	return ok && before != content
}

// full is the path of a file of the workspace as it is remembered.
func (w *workspace) full(name string) string { return filepath.Join(w.cwd, filepath.FromSlash(name)) }
