package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"keylane/host/agent"
	"keylane/host/session"
)

// The modes of session.prompt.
const (
	modeQueue = "queue" // the message waits for a turn of its own
	modeSteer = "steer" // it joins the running turn at its next step
)

// The kinds of action of session.updateQueue.
const (
	actionEdit   = "edit"
	actionRemove = "remove"
	actionSteer  = "steer"
	actionMove   = "move"
)

// The placements of a QueueItem.
const (
	placementQueued   = "queued"
	placementSteering = "steering"
)

// QueueItem is a message that waits, or has been taken by a turn and is not yet in the
// log as a user/message: a page that shows both never has a moment without it.
type QueueItem struct {
	ID string `json:"id"`
	// Placement is "queued", for a turn of its own, or "steering", for the running turn.
	Placement string          `json:"placement"`
	Message   session.Message `json:"message"`
}

type promptPayload struct {
	SessionID string            `json:"sessionId"`
	Mode      string            `json:"mode"`
	Content   []json.RawMessage `json:"content"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (p promptPayload) issues() []string {
	issues := required("sessionId", p.SessionID)
	if p.Mode != modeQueue && p.Mode != modeSteer {
		issues = append(issues, fmt.Sprintf("mode: want %q or %q", modeQueue, modeSteer))
	}
	_, more := textBlocks("content", p.Content)
	return append(issues, more...)
}

// textBlocks reads what a person says; name is the member it is in.
func textBlocks(name string, content []json.RawMessage) (blocks []session.Block, issues []string) {
	speaks := false
	for i, raw := range content {
		var c textContent
		if err := decode(raw, &c); err != nil {
			issues = append(issues, fmt.Sprintf("%s.%d: %v", name, i, err))
			continue
		}
		if c.Type != session.BlockText {
			issues = append(issues, fmt.Sprintf("%s.%d.type: want %q", name, i, session.BlockText))
		}
		speaks = speaks || strings.TrimSpace(c.Text) != ""
		blocks = append(blocks, session.Block{Type: session.BlockText, Text: c.Text})
	}
	if len(issues) == 0 && !speaks {
		issues = append(issues, name+": says nothing")
	}
	return blocks, issues
}

type accepted struct {
	Accepted bool `json:"accepted"`
}

// prompt returns once the message is durable in the session's inbox: to wait for a turn of
// its own, or for the running turn's next step. The call's id goes with it, so that the
// page finds its own echo.
func (a *API) prompt(ctx context.Context, rpcID string, p promptPayload) (accepted, error) {
	opened, err := a.o.Agents.Open(ctx, p.SessionID)
	if err != nil {
		return accepted{}, sessionError(err, p.SessionID)
	}
	blocks, _ := textBlocks("content", p.Content) // issues has looked at them
	m := session.Message{ID: a.o.Clock.NewID(), Role: session.RoleUser, Content: blocks, Source: session.Source{Kind: session.SourceUser, RPCID: rpcID}}
	send := opened.Prompt
	if p.Mode == modeSteer {
		send = opened.Steer
	}
	if err := send(ctx, m); err != nil {
		return accepted{}, err
	}
	return accepted{true}, nil
}

type updateQueuePayload struct {
	SessionID string `json:"sessionId"`
	ItemID    string `json:"itemId"`
	Action    struct {
		Kind    string            `json:"kind"`
		Content []json.RawMessage `json:"content"`
		// BeforeID names the message that a moved one comes before; nothing means the end of the queue.
		BeforeID string `json:"beforeId"`
	} `json:"action"`
}

func (p updateQueuePayload) issues() []string {
	issues := append(required("sessionId", p.SessionID), required("itemId", p.ItemID)...)
	if p.Action.BeforeID != "" && p.Action.Kind != actionMove {
		issues = append(issues, fmt.Sprintf("action.beforeId: only %q has one", actionMove))
	}
	switch p.Action.Kind {
	case actionEdit:
		_, more := textBlocks("action.content", p.Action.Content)
		return append(issues, more...)
	case actionRemove, actionSteer, actionMove:
		if p.Action.Content != nil {
			issues = append(issues, fmt.Sprintf("action.content: only %q has one", actionEdit))
		}
	default:
		issues = append(issues, fmt.Sprintf("action.kind: want %q, %q, %q or %q", actionEdit, actionRemove, actionSteer, actionMove))
	}
	return issues
}

// updateQueue changes a message that waits. It attaches a stored session, whose queue
// stays parked: nothing runs because of it.
func (a *API) updateQueue(ctx context.Context, _ string, p updateQueuePayload) (nothing, error) {
	opened, err := a.o.Agents.Open(ctx, p.SessionID)
	if err != nil {
		return nothing{}, sessionError(err, p.SessionID)
	}
	switch p.Action.Kind {
	case actionEdit:
		blocks, _ := textBlocks("action.content", p.Action.Content) // issues has looked at them
		err = opened.EditQueued(ctx, p.ItemID, blocks)
	case actionRemove:
		err = opened.RemoveQueued(ctx, p.ItemID)
	case actionMove:
		err = opened.MoveQueued(ctx, p.ItemID, p.Action.BeforeID)
	default:
		err = opened.SteerQueued(ctx, p.ItemID)
	}
	details := map[string]any{"itemId": p.ItemID}
	switch {
	case errors.Is(err, agent.ErrItemNotFound):
		return nothing{}, fail(QueueItemNotFound, err.Error(), details)
	case errors.Is(err, agent.ErrSteerUnavailable):
		return nothing{}, fail(SteerUnavailable, err.Error(), details)
	}
	return nothing{}, err
}

// waiting follows the inbox of a session, as pages show it.
type waiting struct {
	queued, steering []session.Message
	taken            []QueueItem // by a turn, and not yet in the log
}

func waitingIn(p session.Projection) []QueueItem {
	return (&waiting{queued: p.Inbox, steering: p.InboxNextStep}).items()
}

// items lists the steering first, because they come first. While a message moves from one
// queue to the other it is in both, and is listed once.
func (w *waiting) items() []QueueItem {
	items := slices.Clone(w.taken)
	add := func(placement string, messages []session.Message) {
		for _, m := range messages {
			if !slices.ContainsFunc(items, func(i QueueItem) bool { return i.ID == m.ID }) {
				items = append(items, QueueItem{ID: m.ID, Placement: placement, Message: m})
			}
		}
	}
	add(placementSteering, w.steering)
	add(placementQueued, w.queued)
	if items == nil {
		items = []QueueItem{}
	}
	return items
}

// splice follows a change of the inbox.
func (w *waiting) splice(e session.Event) {
	var d session.InboxSpliced
	if json.Unmarshal(e.Data, &d) != nil {
		return
	}
	queue, placement := &w.queued, placementQueued
	if d.Target == session.InboxNextStep {
		queue, placement = &w.steering, placementSteering
	}
	start := min(max(d.Start, 0), len(*queue))
	end := min(start+max(d.RemovedCount, 0), len(*queue))
	removed := (*queue)[start:end]
	*queue = slices.Concat((*queue)[:start], d.Inserted, (*queue)[end:])
	if d.Outcome != "" {
		return
	}
	for _, m := range removed {
		if !w.holds(m.ID) { // else it was edited, or moved
			w.taken = append(w.taken, QueueItem{ID: m.ID, Placement: placement, Message: m})
		}
	}
}

func (w *waiting) holds(id string) bool {
	is := func(m session.Message) bool { return m.ID == id }
	return slices.ContainsFunc(w.queued, is) || slices.ContainsFunc(w.steering, is)
}

// arrive tells whether an event is the one that a taken message was waiting for. At the
// end of a turn nothing is taken any more: what was not logged then never will be.
func (w *waiting) arrive(e session.Event) bool {
	before := len(w.taken)
	switch {
	case before == 0:
	case e.Type == session.TypeTurnEnd:
		w.taken = nil
	case e.Type == session.TypeUserMessage:
		if m, ok, err := session.MessageOf(e); err == nil && ok {
			w.taken = slices.DeleteFunc(w.taken, func(i QueueItem) bool { return i.ID == m.ID })
		}
	}
	return len(w.taken) != before
}
