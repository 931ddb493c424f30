package session

import (
	"encoding/json"
	"slices"
)

// Projection is what a log amounts to.
type Projection struct {
	Title        string      // the last title, "" for none
	TitleSource  TitleSource // who chose it
	Turns        int         // turns started
	Steps        int         // steps started, over all turns
	Blank        bool        // no turn was ever started
	OpenTurn     int         // the number of the turn that is not ended, 0 for none
	OpenStep     int         // the number of its step that is not ended, 0 for none
	LastActivity int64       // Unix ms: the later of creation and the last message a person wrote
	Model        ModelTarget // of the last request header
	// ContextWindow is in tokens, of the last request context, 0 when unknown.
	ContextWindow int
	// ContextTokens is what the next request holds besides what was said since: what the provider said after the last answer, or what was
	// estimated after a compaction that came later; 0 when neither is in the log.
	ContextTokens int
	Usage         Usage     // of all answers and summaries; failed calls and titles say nothing
	Inbox         []Message // what waits for a turn of its own, in order
	InboxNextStep []Message // what waits for the running turn's next step, in order
	Todos         []Todo    // the last to-do list
	Policy        string    // of the last approval/policy, "" for none
	Allowed       []string  // the scopes that were allowed for the session, in order
}

// Project computes the projection of a log. It never fails: an event whose data does not have the expected shape counts as unknown.
func Project(h Header, events []Event) Projection {
	p := newProjector(h)
	for _, e := range events {
		p.add(e)
	}
	return p.snapshot()
}

type projector struct {
	seedLength int64
	now        Projection
	asked      map[string]string // the scopes of approvals that wait, by id
}

func newProjector(h Header) *projector {
	return &projector{seedLength: int64(h.SeedLength), now: Projection{Blank: true, LastActivity: h.CreatedAt}}
}

func (p *projector) snapshot() Projection {
	out := p.now
	out.Usage = out.Usage.clone()
	out.Inbox = slices.Clone(out.Inbox)
	out.InboxNextStep = slices.Clone(out.InboxNextStep)
	out.Todos = slices.Clone(out.Todos)
	out.Allowed = slices.Clone(out.Allowed)
	return out
}

func (p *projector) add(e Event) {
	if ByPerson(e) {
		p.now.LastActivity = max(p.now.LastActivity, e.Time)
	}
	switch e.Type {
	case TypeTurnStart:
		var data TurnStart
		p.now.Turns++
		p.now.Blank = false
		p.now.OpenTurn, p.now.OpenStep = p.now.Turns, 0
		if decode(e, &data) && data.Turn > 0 {
			p.now.OpenTurn = data.Turn
		}
	case TypeTurnEnd:
		p.now.OpenTurn, p.now.OpenStep = 0, 0
	case TypeStepStart:
		var data StepStart
		p.now.Steps++
		if decode(e, &data) {
			p.now.OpenStep = data.Step
		}
	case TypeStepEnd:
		p.now.OpenStep = 0
	case TypeTitle:
		var data Title
		if decode(e, &data) {
			p.now.Title, p.now.TitleSource = data.Title, data.Source
		}
	case TypeRequestHeader:
		var data struct {
			Header struct {
				Config ModelTarget `json:"config"`
			} `json:"header"`
		}
		if decode(e, &data) && data.Header.Config.Model != "" {
			p.now.Model = data.Header.Config
		}
	case TypeRequestContext:
		var data RequestContext
		if decode(e, &data) {
			p.now.ContextWindow = data.ContextWindow
		}
	case TypeAssistantMessage:
		if usage := usageOf(e); usage != nil && (e.SurfaceOp == nil || !e.SurfaceOp.Replace) {
			p.now.Usage.add(*usage)
			if held := usage.Context(); held > 0 {
				p.now.ContextTokens = held
			}
		}
	case TypeCompaction:
		var data CompactionSummary
		if decode(e, &data) && data.Usage != nil {
			p.now.Usage.add(*data.Usage)
		}
	case TypeCompactionEnd:
		var data CompactionEnd
		if decode(e, &data) && data.ContextTokens > 0 {
			p.now.ContextTokens = data.ContextTokens
		}
	case TypeTodoWrite:
		var data TodoWrite
		if decode(e, &data) {
			p.now.Todos = data.Todos
		}
	case TypeApprovalPolicy:
		var data ApprovalPolicy
		if decode(e, &data) {
			p.now.Policy = data.Policy
		}
	case TypeApprovalAsked, TypeApprovalDecided:
		p.approve(e)
	case TypeInboxSpliced:
		var data InboxSpliced
		if e.Seq >= p.seedLength && decode(e, &data) {
			p.splice(data)
		}
	}
}

// approve follows what was allowed for the session. What the parent of a fork was allowed, the fork is not: the person decided about another
// session.
func (p *projector) approve(e Event) {
	var asked ApprovalAsked
	var decided ApprovalDecided
	switch {
	case e.Seq < p.seedLength:
	case e.Type == TypeApprovalAsked && decode(e, &asked):
		if p.asked == nil {
			p.asked = map[string]string{}
		}
		p.asked[asked.ID] = asked.Scope
	case e.Type == TypeApprovalDecided && decode(e, &decided):
		if scope := p.asked[decided.ID]; scope != "" && decided.Outcome == AllowedSession && !slices.Contains(p.now.Allowed, scope) {
			p.now.Allowed = append(p.now.Allowed, scope)
		}
		delete(p.asked, decided.ID)
	}
}

// splice applies a change of the inbox. What was pending in the parent of a fork stays there: the caller skips inherited splices.
func (p *projector) splice(data InboxSpliced) {
	queue := &p.now.Inbox
	if data.Target == InboxNextStep {
		queue = &p.now.InboxNextStep
	}
	start := min(max(data.Start, 0), len(*queue))
	end := min(start+max(data.RemovedCount, 0), len(*queue))
	*queue = slices.Concat((*queue)[:start], data.Inserted, (*queue)[end:])
}

// ByPerson says whether the event is a message somebody wrote, which is what makes a session recent: a session that a host only picked up
// is not.
func ByPerson(e Event) bool {
	if e.Type != TypeUserMessage && e.Type != TypeSteeringMessage {
		return false
	}
	m, ok, err := MessageOf(e)
	return ok && err == nil && m.Source.Kind == SourceUser
}

func decode(e Event, into any) bool { return json.Unmarshal(e.Data, into) == nil }
