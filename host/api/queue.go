package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"keylane/host/agent"
	"keylane/host/session"
)

// promptMode is what a prompt does while a turn runs: wait for a turn of its own, or join this one at its next step.
type promptMode string

// The modes of session.prompt.
const (
	modeQueue promptMode = "queue"
	modeSteer promptMode = "steer"
)

// queueActionKind is what can be done to a message that waits.
type queueActionKind string

// The kinds of action of session.updateQueue.
const (
	actionEdit   queueActionKind = "edit"
	actionRemove queueActionKind = "remove"
	actionSteer  queueActionKind = "steer"
	actionMove   queueActionKind = "move"
)

// placement is what a message waits for: a turn of its own, or the running turn's next step.
type placement string

// The placements of a QueueItem.
const (
	placementQueued   placement = "queued"
	placementSteering placement = "steering"
)

// QueueItem is a message that waits, or has been taken by a turn and is not yet in the
// log as a user/message: a page that shows both never has a moment without it.
type QueueItem struct {
	ID        string          `json:"id"`
	Placement placement       `json:"placement"`
	Message   session.Message `json:"message"`
}

type promptPayload struct {
	SessionID string        `json:"sessionId" wire:"min=1"`
	Mode      promptMode    `json:"mode"`
	Content   []contentPart `json:"content" wire:"min=1"`
}

// contentType is what a part of what a person says can be.
type contentType string

const contentText contentType = session.BlockText

// contentPart is a part of what a person says.
type contentPart struct {
	Type contentType `json:"type"`
	Text string      `json:"text"`
}

func (p promptPayload) issues() []string { return silent("payload.content", p.Content) }

// silent tells of content that says nothing; path is where it is.
func silent(path string, content []contentPart) []string {
	for _, c := range content {
		if strings.TrimSpace(c.Text) != "" {
			return nil
		}
	}
	return []string{path + ": want words, got nothing but white space"}
}

func textBlocks(content []contentPart) []session.Block {
	blocks := make([]session.Block, len(content))
	for i, c := range content {
		blocks[i] = session.Block{Type: session.BlockText, Text: c.Text}
	}
	return blocks
}

// accepted says that the host has it.
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
	m := session.Message{ID: a.o.Clock.NewID(), Role: session.RoleUser, Content: textBlocks(p.Content), Source: session.Source{Kind: session.SourceUser, RPCID: rpcID}}
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
	SessionID string      `json:"sessionId" wire:"min=1"`
	ItemID    string      `json:"itemId" wire:"min=1"`
	Action    queueAction `json:"action"`
}

// queueAction is what to do with a message that waits.
type queueAction struct {
	Kind    queueActionKind `json:"kind"`
	Content []contentPart   `json:"content" wire:"min=1,for=edit"`
	// BeforeID names the message that a moved one comes before; nothing means the end of the queue.
	BeforeID string `json:"beforeId,omitempty" wire:"for=move"`
}

func (p updateQueuePayload) issues() []string {
	if p.Action.Kind != actionEdit {
		return nil
	}
	return silent("payload.action.content", p.Action.Content)
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
		err = opened.EditQueued(ctx, p.ItemID, textBlocks(p.Action.Content))
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

// queue follows the inbox of a session, as pages show it.
type queue struct {
	queued, steering []session.Message
	taken            []QueueItem // by a turn, and not yet in the log
}

func waitingIn(p session.Projection) []QueueItem {
	return (&queue{queued: p.Inbox, steering: p.InboxNextStep}).items()
}

// items lists the steering first, because they come first. While a message moves from one
// queue to the other it is in both, and is listed once.
func (w *queue) items() []QueueItem {
	items := slices.Clone(w.taken)
	add := func(placement placement, messages []session.Message) {
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
func (w *queue) splice(e session.Event) {
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

func (w *queue) holds(id string) bool {
	is := func(m session.Message) bool { return m.ID == id }
	return slices.ContainsFunc(w.queued, is) || slices.ContainsFunc(w.steering, is)
}

// arrive tells whether an event is the one that a taken message was waiting for. At the
// end of a turn nothing is taken any more: what was not logged then never will be.
func (w *queue) arrive(e session.Event) bool {
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
