package api

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"

	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/persistence"
	"keylane/host/session"
	"keylane/host/tool"
	"keylane/host/tool/askuser"
)

// feed turns what happens in the host into frames of the two streams, and keeps of
// every attached session what lists and baselines tell.
type feed struct {
	mux   *hub
	host  *hub
	tools *tool.Registry

	sessions map[string]*followed // guarded by mux.mu
	order    []*followed          // in order of attachment; guarded by mux.mu

	questions []askuser.Pending  // that wait, oldest first; guarded by mux.mu
	approvals []approval.Request // that wait, oldest first; guarded by mux.mu

	unobserve []func() // of the manager and the desks; set once
}

// followed is what is known of an attached session; guarded by mux.mu.
type followed struct {
	summary SessionSummary
	lastSeq int64
	waiting queue
	cwd     string
	trouble *storageTrouble

	unfollow func() // ends the observation of its log
}

func newFeed(o Options) *feed {
	epoch := newEpoch()
	f := &feed{
		mux:      newHub(streamMux, epoch, o.Limits, o.Clock, o.Logger),
		host:     newHub(streamHost, epoch, o.Limits, o.Clock, o.Logger),
		tools:    o.Tools,
		sessions: map[string]*followed{},
	}
	f.mux.baseline = f.muxBaseline
	f.unobserve = []func(){o.Agents.OnChange(f.agentChanged), o.Questions.Observe(f.questionChanged),
		o.Approvals.Observe(f.approvalChanged), o.Settings.Observe(f.settingsChanged), o.Credentials.Observe(f.credentialChanged)}
	return f
}

// newEpoch names this run of the host. It does not come from the clock: with a
// pinned one two runs would be called the same, and a page that outlives the first would
// go on in the middle of the second.
func newEpoch() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return hex.EncodeToString(b[:])
}

func (f *feed) close() {
	// First whoever could bring a new log, then the logs.
	for _, dispose := range f.unobserve {
		dispose()
	}
	f.mux.mu.Lock()
	order := f.order
	f.mux.mu.Unlock()
	for _, s := range order {
		s.unfollow()
	}
}

type subscribedFrame struct {
	SessionID string `json:"sessionId"`
	LastSeq   int64  `json:"lastSeq"`
}

type queueFrame struct {
	SessionID string      `json:"sessionId"`
	Items     []QueueItem `json:"items"`
}

type eventFrame struct {
	SessionID string `json:"sessionId"`
	ViewedEvent
}

// storageFrame tells that a session's log cannot be stored for now, or, without a trouble, is stored again.
type storageFrame struct {
	SessionID string          `json:"sessionId"`
	Trouble   *storageTrouble `json:"trouble,omitempty"`
}

// storageTrouble is what the host keeps in memory only, until it can be stored.
type storageTrouble struct {
	// Code is NOT_STORED, for people to ask about.
	Code    string `json:"code" wire:"min=1"`
	Message string `json:"message" wire:"min=1"`
	// FromSeq is the first event that is not stored.
	FromSeq int64 `json:"fromSeq" wire:"min=0"`
}

// codeNotStored is the code of every storageTrouble.
const codeNotStored = "NOT_STORED"

type addedFrame struct {
	SessionID string `json:"sessionId"`
	Blank     bool   `json:"blank"`
	Cwd       string `json:"cwd"`
}

type removedFrame struct {
	SessionID string `json:"sessionId"`
}

type statusFrame struct {
	SessionID string `json:"sessionId"`
	Running   bool   `json:"running"`
}

type changedFrame struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	UpdatedAt int64  `json:"updatedAt"`
}

type workspaceFrame struct {
	Workspace WorkspaceView `json:"workspace"`
}

type workspacesOrderedFrame struct {
	WorkspaceIDs []string `json:"workspaceIds"`
}

type archivedFrame struct {
	ArchivedSessionIDs []string `json:"archivedSessionIds"`
}

// muxBaseline is called with mux.mu held.
func (f *feed) muxBaseline(emit emitter) {
	for _, s := range f.order {
		emit("session/subscribed", subscribedFrame{s.summary.SessionID, s.lastSeq})
	}
	for _, s := range f.order {
		if s.trouble != nil {
			emit("session/storage", storageFrame{s.summary.SessionID, s.trouble})
		}
	}
	for _, q := range f.questions {
		emit("question/requested", requestedFrame{q.SessionID, q.ID, q.Questions})
	}
	for _, r := range f.approvals {
		emit("approval/requested", approvalFrame(r))
	}
	for _, s := range f.order {
		emit("session/queue", s.queueFrame())
	}
}

func (s *followed) queueFrame() queueFrame {
	return queueFrame{s.summary.SessionID, s.waiting.items()}
}

// agentChanged is called by the manager: it must not call it, nor the agent.
func (f *feed) agentChanged(c agent.Change) {
	switch c.Kind {
	case agent.Added:
		f.follow(c.Agent)
	case agent.Removed:
		f.forget(c.Agent.Log().ID())
	case agent.Storage:
		f.stored(c.Agent.Log().ID(), c.Trouble)
	case agent.Status:
		id := c.Agent.Log().ID()
		f.mux.update(func(emitter) {
			if s := f.sessions[id]; s != nil {
				s.summary.Running = c.Running
			}
		})
		f.host.update(func(emit emitter) { emit("host/session-status", statusFrame{id, c.Running}) })
	}
}

// stored takes note of whether the log of a session can be stored.
func (f *feed) stored(id string, trouble *persistence.Trouble) {
	f.mux.update(func(emit emitter) {
		s := f.sessions[id]
		if s == nil {
			return
		}
		s.trouble = nil
		if trouble != nil {
			s.trouble = &storageTrouble{codeNotStored, trouble.Err.Error(), trouble.Stored}
		}
		emit("session/storage", storageFrame{id, s.trouble})
	})
}

// follow begins with a log that nobody has yet, so nothing is appended meanwhile.
func (f *feed) follow(a *agent.Agent) {
	log := a.Log()
	events, inbox := log.Events(0, -1), log.Projection()
	s := &followed{summary: summarise(log.Header(), events), lastSeq: int64(len(events)) - 1, waiting: queue{queued: inbox.Inbox, steering: inbox.InboxNextStep}, cwd: log.Header().Cwd}
	added := addedFrame{log.ID(), s.summary.Blank, s.cwd}
	dispose := log.Observe(func(e session.Event) { f.event(s, e) })
	f.mux.update(func(emit emitter) {
		s.unfollow = dispose
		f.sessions[log.ID()] = s
		f.order = append(f.order, s)
		emit("session/subscribed", subscribedFrame{log.ID(), s.lastSeq})
		if len(s.waiting.items()) > 0 {
			emit("session/queue", s.queueFrame())
		}
	})
	f.host.update(func(emit emitter) { emit("host/session-added", added) })
}

// forget ends what follow began.
func (f *feed) forget(id string) {
	f.mux.update(func(emitter) {
		s := f.sessions[id]
		if s == nil {
			return
		}
		s.unfollow()
		delete(f.sessions, id)
		f.order = slices.DeleteFunc(slices.Clone(f.order), func(other *followed) bool { return other == s })
	})
}

// removed tells that a session is gone for good.
func (f *feed) removed(id string) {
	f.host.update(func(emit emitter) { emit("host/session-removed", removedFrame{id}) })
}

// titled tells the title of a session that had one when it was attached.
func (f *feed) titled(id string) {
	var changed *changedFrame
	f.mux.update(func(emitter) {
		if s := f.sessions[id]; s != nil && s.summary.Title != "" {
			changed = &changedFrame{id, s.summary.Title, s.summary.UpdatedAt}
		}
	})
	if changed != nil {
		f.host.update(func(emit emitter) { emit("host/session-changed", *changed) })
	}
}

// event is called by the log, in order; it must not append.
func (f *feed) event(s *followed, e session.Event) {
	var changed *changedFrame
	f.mux.update(func(emit emitter) {
		s.lastSeq = e.Seq
		// In this order a page that has applied an event shows the queue as of it, and a
		// message that a turn took is in the queue until its event is there.
		if e.Type == session.TypeInboxSpliced {
			s.waiting.splice(e)
			emit("session/queue", s.queueFrame())
		}
		emit("session/event", eventFrame{s.summary.SessionID, viewed(e, s.cwd, f.tools)})
		if s.waiting.arrive(e) {
			emit("session/queue", s.queueFrame())
		}
		switch {
		case e.Type == session.TypeTurnStart:
			s.summary.Blank = false
		case e.Type == session.TypeTitle:
			var d session.Title
			if json.Unmarshal(e.Data, &d) == nil {
				s.summary.Title = d.Title
				changed = &changedFrame{s.summary.SessionID, d.Title, s.summary.UpdatedAt}
			}
		case session.ByPerson(e):
			s.summary.UpdatedAt = max(s.summary.UpdatedAt, e.Time)
			changed = &changedFrame{s.summary.SessionID, s.summary.Title, s.summary.UpdatedAt}
		}
	})
	if changed != nil {
		f.host.update(func(emit emitter) { emit("host/session-changed", *changed) })
	}
}

func (f *feed) workspaceChanged(view WorkspaceView) {
	f.host.update(func(emit emitter) { emit("host/workspace-changed", workspaceFrame{view}) })
}

func (f *feed) workspaceRemoved(id string) {
	f.host.update(func(emit emitter) { emit("host/workspace-removed", workspaceRef{id}) })
}

// workspacesOrdered tells the order of all workspaces that are listed.
func (f *feed) workspacesOrdered(ids []string) {
	f.host.update(func(emit emitter) { emit("host/workspaces-ordered", workspacesOrderedFrame{ids}) })
}

// archived tells which sessions are put away now: all of them.
func (f *feed) archived(ids []string) {
	f.host.update(func(emit emitter) { emit("host/archived-sessions-changed", archivedFrame{ids}) })
}

// summaries tells of the attached sessions.
func (f *feed) summaries() []SessionSummary {
	f.mux.mu.Lock()
	defer f.mux.mu.Unlock()
	all := make([]SessionSummary, len(f.order))
	for i, s := range f.order {
		all[i] = s.summary
	}
	return all
}
