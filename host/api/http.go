package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// Prefix is the path below which the API answers.
const Prefix = "/api"

// ServeHTTP answers everything below Prefix.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, Prefix+"/")
	if err := a.fence.CheckCall(name, r); err != nil {
		a.o.Logger.Warn("request refused", "path", r.URL.Path, "reason", err)
		refuse(w, http.StatusForbidden, "forbidden")
		return
	}
	switch {
	case ok && r.Method == http.MethodGet && name == "events.mux":
		a.stream(w, r, a.feed.mux)
	case ok && r.Method == http.MethodGet && name == "events.host":
		a.stream(w, r, a.feed.host)
	case ok && r.Method == http.MethodPost:
		a.unary(w, r, name)
	default:
		refuse(w, http.StatusNotFound, "not found")
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // a reader that is gone needs no answer
}

func (a *API) unary(w http.ResponseWriter, r *http.Request, name string) {
	if _, known := a.methods[name]; !known && name != "respond" {
		refuse(w, http.StatusNotFound, "not found")
		return
	}
	// A form or a text could be posted by any page without asking; JSON makes the browser
	// ask first, and nobody answers.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "content type must be application/json")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, a.o.Limits.BodyBytes))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("body is larger than %d bytes", large.Limit))
			return
		}
		refuse(w, http.StatusBadRequest, "body cannot be read")
		return
	}
	reply := a.Dispatch(r.Context(), name, body)
	if reply.Status != http.StatusOK {
		refuse(w, reply.Status, string(reply.Body))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(reply.Body) // a reader that is gone needs no answer
}

// stream feeds one reader until it is gone, takes too long, or the host closes.
func (a *API) stream(w http.ResponseWriter, r *http.Request, h *hub) {
	reader, first := h.open(r.Header.Get("Last-Event-ID"))
	defer reader.close()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	out := &streamWriter{w: w, control: http.NewResponseController(w), limit: time.Duration(a.o.Limits.WriteMs) * time.Millisecond}
	if out.write([]byte(": connected\n\n"), first) != nil {
		return
	}
	for {
		frames := reader.take()
		if len(frames) > 0 {
			if out.write(frames...) != nil {
				return
			}
			continue
		}
		heartbeat, stop := a.o.Clock.After(time.Duration(a.o.Limits.HeartbeatMs) * time.Millisecond)
		select {
		case <-reader.wake:
			stop()
		case <-heartbeat:
			if out.write([]byte(": heartbeat\n\n")) != nil {
				return
			}
		case <-r.Context().Done():
			stop()
			return
		case <-a.closing:
			stop()
			return
		}
	}
}

// streamWriter writes blocks and moves the deadline before each write, so that a
// reader that takes nothing is given up, and one that is merely slow is not.
type streamWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

func (s *streamWriter) write(blocks ...[]byte) error {
	for _, b := range blocks {
		// The kernel's time, not the host's clock: a pinned clock would put every deadline
		// into the past.
		if err := s.control.SetWriteDeadline(time.Now().Add(s.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := s.w.Write(b); err != nil {
			return err
		}
	}
	return s.control.Flush()
}
