package api

import (
	"context"
	"errors"

	"keylane/host/agent"
	"keylane/host/approval"
	"keylane/host/persistence"
	"keylane/host/session"
)

// historyPayload asks for the turns before BeforeSeq, or for the last ones.
type historyPayload struct {
	SessionID string `json:"sessionId" wire:"min=1"`
	BeforeSeq *int64 `json:"beforeSeq,omitempty" wire:"min=0"`
	// MaxTurns is 24 unless said otherwise.
	MaxTurns *int `json:"maxTurns,omitempty" wire:"min=1,max=1000"`
}

// HistoryPage is a page of whole turns. Projections are of the whole log, up to AsOfSeq.
type HistoryPage struct {
	Events      []ViewedEvent `json:"events"`
	HasMore     bool          `json:"hasMore"`
	Projections Projections   `json:"projections"`
	// LockedBy is another host that has the session open: what it writes is not on this host's streams.
	LockedBy *persistence.Holder `json:"lockedBy,omitempty"`
	// Damage says that the log cannot be read to its end: the events are what is before the damage.
	Damage *Damage `json:"damage,omitempty"`
}

// Damage is what a person can know of a damaged log and do about it.
type Damage struct {
	Code   Code   `json:"code"` // SessionDamaged
	File   string `json:"file"`
	Row    int    `json:"row"`  // the first row that is no good, the header being 1
	Byte   int64  `json:"byte"` // where in the file the piece with that row starts
	Reason string `json:"reason"`
	// LostRows counts the rows from Row on that can still be told apart, LostBytes everything from Byte on.
	LostRows  int    `json:"lostRows"`
	LostBytes int64  `json:"lostBytes"`
	Repair    string `json:"repair"` // the command that puts it right
}

func viewDamage(d *persistence.Damage, id string) *Damage {
	if d == nil {
		return nil
	}
	return &Damage{SessionDamaged, d.Path, d.Row, d.Byte, d.Reason, d.LostRows, d.LostBytes, "keylane sessions repair " + id}
}

// Projections are what the whole log amounts to.
type Projections struct {
	AsOfSeq int64            `json:"asOfSeq"`
	Values  ProjectionValues `json:"values"`
}

// ProjectionValues by key.
type ProjectionValues struct {
	Title   string              `json:"title"`
	Turns   int                 `json:"turns"`
	Running bool                `json:"running"`
	Model   session.ModelTarget `json:"model"`
	// Queue is what waits; for an attached session session/queue tells more precisely.
	Queue []QueueItem `json:"queue"`
	// Todos is the agent's to-do list, never null.
	Todos []session.Todo `json:"todos"`
	// Mode is what the session may do, see package approval.
	Mode approval.Mode `json:"mode"`
	// Steps are the model calls of all turns, failed attempts not counted.
	Steps int `json:"steps"`
	// Usage counts the tokens of all answers and summaries.
	Usage session.Usage `json:"usage"`
	// Context is how full the model's window is.
	Context ContextUse `json:"context"`
}

// ContextUse is in tokens; 0 is not known. Used is as of the last answer, or of a compaction after it.
type ContextUse struct {
	Used   int `json:"used"`
	Window int `json:"window"`
}

// history reads, and never resumes: looking at a session must not change it.
func (a *API) history(ctx context.Context, _ string, p historyPayload) (HistoryPage, error) {
	before, turns := int64(-1), defaultTurns
	if p.BeforeSeq != nil {
		before = *p.BeforeSeq
	}
	if p.MaxTurns != nil {
		turns = *p.MaxTurns
	}
	values := ProjectionValues{}
	var read persistence.Page
	if attached, ok := a.o.Agents.Get(p.SessionID); ok {
		values.Running, values.Model = attached.Running(), attached.Model()
		read = pageOf(attached, before, turns)
	} else {
		var err error
		if read, err = a.o.Store.Page(ctx, p.SessionID, before, turns); err != nil {
			return HistoryPage{}, readError(ctx, err, p.SessionID)
		}
	}
	a.project(read.Projection, &values)
	page := HistoryPage{Events: make([]ViewedEvent, 0, len(read.Events)), HasMore: read.HasMore, LockedBy: read.LockedBy,
		Damage: viewDamage(read.Damage, p.SessionID), Projections: Projections{AsOfSeq: read.Length - 1, Values: values}}
	for _, e := range read.Events {
		page.Events = append(page.Events, viewed(e, read.Header.Cwd, a.o.Tools))
	}
	return page, nil
}

// readError is sessionError for a session that was only to be read: what it does not know says why the log cannot be read at all.
func readError(ctx context.Context, err error, id string) error {
	known := sessionError(err, id)
	var result *Error
	if errors.As(known, &result) || ctx.Err() != nil || errors.Is(err, persistence.ErrClosed) {
		return known
	}
	return fail(SessionUnreadable, err.Error(), map[string]any{"sessionId": id})
}

// pageOf is a page of an attached session: its log is in memory.
func pageOf(attached *agent.Agent, before int64, turns int) persistence.Page {
	log := attached.Log()
	events := log.Events(0, -1)
	start, end, more := session.TurnPage(events, before, turns)
	return persistence.Page{Header: log.Header(), Events: events[start:end], HasMore: more,
		Projection: session.Project(log.Header(), events), Length: int64(len(events))}
}

// project tells what the page needs of a projection. The model is only set where values has none: it is what the session would use if it
// went on.
func (a *API) project(p session.Projection, values *ProjectionValues) {
	values.Queue = waitingIn(p)
	values.Title, values.Turns = p.Title, p.Turns
	values.Mode = a.modeOf(p)
	values.Steps, values.Usage = p.Steps, p.Usage
	values.Context = ContextUse{p.ContextTokens, p.ContextWindow}
	values.Todos = append([]session.Todo{}, p.Todos...)
	if values.Model == (session.ModelTarget{}) {
		values.Model = p.Model
	}
	if values.Model == (session.ModelTarget{}) {
		values.Model = a.o.Agents.DefaultModel()
	}
}
