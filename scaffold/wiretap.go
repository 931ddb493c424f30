package scaffold

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
)

// Wire is what the host has told pages about sessions so far, byte for byte: every frame of the session stream since the host began, and
// the open session's history as a page that is loaded now gets it.
func (s *Stage) Wire() string {
	s.Helper()
	history, err := s.api.Call(s.Context, "wiretap", "session.history", map[string]any{"sessionId": s.SessionID()})
	if err != nil {
		s.Fatalf("scaffold: reading the history as a page would: %v", err)
	}
	epoch, last := s.api.MuxCursor()
	request, err := http.NewRequestWithContext(s.Context, http.MethodGet, s.URL+"/api/events.mux", nil)
	if err != nil {
		s.Fatalf("scaffold: asking for the session stream: %v", err)
	}
	request.Header.Set("Last-Event-ID", epoch+"-0") // a page that has seen nothing yet
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		s.Fatalf("scaffold: asking for the session stream: %v", err)
	}
	defer response.Body.Close()
	frames, err := readFrames(bufio.NewReader(response.Body), fmt.Sprintf("id: %s-%d\n", epoch, last))
	if err != nil {
		s.Fatalf("scaffold: reading the session stream up to frame %d: %v\nread so far:\n%s", last, err, frames)
	}
	return string(history) + "\n" + frames
}

// readFrames reads a stream up to the block that has the line last in it.
func readFrames(stream *bufio.Reader, last string) (string, error) {
	var text strings.Builder
	for ended := false; ; {
		line, err := stream.ReadString('\n')
		text.WriteString(line)
		if err != nil {
			return text.String(), err
		}
		ended = ended || line == last
		if ended && line == "\n" {
			return text.String(), nil
		}
	}
}
