package api

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"keylane/host/approval"
	"keylane/host/composition"
	"keylane/host/credentials"
	"keylane/host/llm"
	"keylane/host/search"
	"keylane/host/session"
	"keylane/host/settings"
	"keylane/host/shape"
	"keylane/host/tool/askuser"
)

// methods is the one table of the methods. A nil API describes them.
func methods(a *API) []method {
	return []method{
		// What the host is, and what it can offer.
		on("host.describe", a.describe),
		// What became of every row of the composition, and where the host keeps what.
		on("host.report", a.report),
		// The folders in a folder of this machine.
		on("host.listDirectory", a.listDirectory),
		// Makes a folder in another one.
		on("host.createDirectory", a.createDirectory),
		// Every session, newest first.
		on("session.list", a.listSessions),
		// Sessions in which something was said; names are for whoever has the list.
		on("session.search", a.searchSessions),
		// A new session, idle; with an id that exists, that session.
		on("session.create", a.createSession),
		// A page of a session's log, from the end or before an event, in whole turns.
		on("session.history", a.history),
		// A new session with the log of another one up to the end of a turn.
		on("session.fork", a.forkSession),
		// Ends the session and removes its log.
		on("session.delete", a.deleteSession),
		// Says something to the model; the answer comes as events.
		on("session.prompt", a.prompt),
		// Ends the running turn.
		on("session.cancel", a.cancelTurn),
		// Changes a message that waits.
		on("session.updateQueue", a.updateQueue),
		// Names the session; no model's name replaces that one.
		on("session.rename", a.renameSession),
		// Asks for a summary in the place of older turns: at once, or at the next step of a running turn.
		on("session.compact", a.compactSession),
		// Chooses the model of the next step.
		on("session.selectModel", a.selectModel),
		// Chooses what the session may do without asking.
		on("session.setMode", a.setMode),
		// The skills that a session's agent can load.
		on("skill.list", a.listSkills),
		// The folders a person works in.
		on("workspace.list", a.listWorkspaces),
		// Registers the folder at path, or makes one called name; exactly one of the two.
		on("workspace.create", a.createWorkspace),
		// Gives a workspace another title, unlike every other one's.
		on("workspace.rename", a.renameWorkspace),
		// Removes a workspace from the list; its folder, its sessions and their logs stay.
		on("workspace.delete", a.deleteWorkspace),
		// Puts a workspace in front of another one, or at the end.
		on("workspace.move", a.moveWorkspace),
		// Has a workspace's sessions shown by activity again, after some were moved.
		on("workspace.unarrange", a.unarrangeWorkspace),
		// Puts a session in front of another one of its folder, or at the end.
		on("workspace.moveSession", a.moveSession),
		// Puts a session away, or takes it back.
		on("workspace.archiveSession", a.archiveSession),
		// Files of a session's folder that a person may mean; an empty session id means a workspace's, or the folder of new sessions.
		on("workspace.files", a.findFiles),
		// What the person prefers, on every host of this home. Loopback alone.
		on("settings.describe", a.describeSettings),
		// Changes some of it, all or none. Loopback alone.
		on("settings.update", a.updateSettings),
		// Which credentials providers need, and where each comes from; never a value. Loopback alone.
		on("credentials.describe", a.describeCredentials),
		// Stores a credential for the person alone. Loopback alone.
		on("credentials.set", a.setCredential),
		// Removes a stored credential. Loopback alone.
		on("credentials.unset", a.unsetCredential),
	}
}

// frames is the one table of what the streams say, by stream and name.
var frames = []FrameSchema{
	frame[resyncFrame]("", "resync"),
	frame[subscribedFrame](streamMux, "session/subscribed"),
	frame[eventFrame](streamMux, "session/event"),
	frame[queueFrame](streamMux, "session/queue"),
	frame[storageFrame](streamMux, "session/storage"),
	frame[requestedFrame](streamMux, "question/requested"),
	frame[resolvedFrame](streamMux, "question/resolved"),
	frame[approvalRequestedFrame](streamMux, "approval/requested"),
	frame[approvalResolvedFrame](streamMux, "approval/resolved"),
	frame[addedFrame](streamHost, "host/session-added"),
	frame[removedFrame](streamHost, "host/session-removed"),
	frame[statusFrame](streamHost, "host/session-status"),
	frame[changedFrame](streamHost, "host/session-changed"),
	frame[workspaceFrame](streamHost, "host/workspace-changed"),
	frame[workspaceRef](streamHost, "host/workspace-removed"),
	frame[workspacesOrderedFrame](streamHost, "host/workspaces-ordered"),
	frame[archivedFrame](streamHost, "host/archived-sessions-changed"),
	frame[settingsFrame](streamHost, "host/settings-changed"),
	frame[credentialsFrame](streamHost, "host/credentials-changed"),
}

// elsewhere are types that go over the wire outside of methods and frames.
var elsewhere = []reflect.Type{
	reflect.TypeFor[Code](),
	reflect.TypeFor[answerValue](),
	reflect.TypeFor[decisionValue](),
	reflect.TypeFor[receipt](),
}

// vocabulary says of the types in the tables what reflection cannot see.
var vocabulary = shape.Vocabulary{
	Values: map[reflect.Type][]string{
		reflect.TypeFor[Code](): texts(BadRequest, SessionNotFound, SessionConflict, SessionLocked, SessionDamaged, SessionUnsupported, SessionUnreadable, ForkUnavailable, ModelUnavailable, WorkspaceNotFound, WorkspaceInvalidPath,
			WorkspaceNameConflict, WorkspaceMoveInvalid, DirectoryUnreadable, DirectoryExists, DirectoryCreateFailed, QueueItemNotFound, SteerUnavailable, TitleInvalid, CompactionUnavailable, SettingsConflict, SettingsRejected, CredentialRejected, SearchUnavailable, Internal),
		reflect.TypeFor[composition.State]():  texts(composition.StateFailed, composition.StatePending, composition.StateStarted, composition.StateDisabled),
		reflect.TypeFor[themeSetting]():       settings.Allowed(settings.Theme),
		reflect.TypeFor[localeSetting]():      settings.Allowed(settings.Locale),
		reflect.TypeFor[busyEnterSetting]():   settings.Allowed(settings.BusyEnter),
		reflect.TypeFor[groupBySetting]():     settings.Allowed(settings.GroupBy),
		reflect.TypeFor[permissionSetting]():  settings.Allowed(settings.Permission),
		reflect.TypeFor[credentials.Source](): texts(credentials.None, credentials.Row, credentials.Environment, credentials.Stored),
		reflect.TypeFor[approval.Mode]():      texts(approval.ReadOnly, approval.Ask, approval.Full),
		reflect.TypeFor[approval.Outcome]():   texts(approval.AllowedOnce, approval.AllowedSession, approval.Rejected, approval.Cancelled),
		reflect.TypeFor[decision]():           texts(allowOnce, allowSession, reject),
		reflect.TypeFor[askuser.Outcome]():    texts(askuser.Answered, askuser.Cancelled),
		reflect.TypeFor[session.TodoStatus](): texts(session.TodoPending, session.TodoInProgress, session.TodoCompleted),
		reflect.TypeFor[promptMode]():         texts(modeQueue, modeSteer),
		reflect.TypeFor[queueActionKind]():    texts(actionEdit, actionRemove, actionSteer, actionMove),
		reflect.TypeFor[placement]():          texts(placementQueued, placementSteering),
		reflect.TypeFor[contentType]():        texts(contentText),
		reflect.TypeFor[viewFor]():            texts(viewForCall, viewForResult),
		reflect.TypeFor[resyncReason]():       texts(resyncEpoch, resyncTooOld, resyncSlow),
		reflect.TypeFor[refusalReason]():      texts(notPending, badResponse),
		reflect.TypeFor[requestType]():        texts(typeClientRequest),
	},
	StandIns: map[reflect.Type]reflect.Type{
		reflect.TypeFor[session.Event]():   reflect.TypeFor[eventJSON](),
		reflect.TypeFor[session.Message](): reflect.TypeFor[map[string]json.RawMessage](),
	},
}

// names are what a page calls the types that have another name here.
var names = map[reflect.Type]string{
	reflect.TypeFor[Code]():                   "ErrorCode",
	reflect.TypeFor[credentials.Source]():     "CredentialSource",
	reflect.TypeFor[credentialsDescription](): "CredentialsDescription",
	reflect.TypeFor[credentialItem]():         "CredentialItem",
	reflect.TypeFor[composition.State]():      "RowState",
	reflect.TypeFor[session.Event]():          "SessionEvent",
	reflect.TypeFor[search.Mark]():            "SearchMark",
	reflect.TypeFor[llm.Info]():               "ProviderInfo",
	reflect.TypeFor[WorkspaceView]():          "Workspace",
	reflect.TypeFor[View]():                   "ToolView",
	reflect.TypeFor[requestedFrame]():         "PendingQuestions",
	reflect.TypeFor[approvalRequestedFrame](): "PendingApproval",
	reflect.TypeFor[approval.Outcome]():       "ApprovalOutcome",
	reflect.TypeFor[askuser.Outcome]():        "QuestionOutcome",
	reflect.TypeFor[resyncFrame]():            "Resync",
	reflect.TypeFor[accepted]():               "Accepted",
}

// The streams of FrameSchema.
const (
	streamMux  = "mux"
	streamHost = "host"
)

// eventJSON is what a session.Event is in JSON: one event of a session's log.
type eventJSON struct {
	// Type is one of package session's, or one that nobody here knows.
	Type string `json:"type" wire:"min=1"`
	// Seq counts from 0 without gaps.
	Seq int64 `json:"seq" wire:"min=0"`
	// Time is in Unix milliseconds and may go backwards.
	Time int64           `json:"time"`
	Data json.RawMessage `json:"data" wire:"object"`
	// SourceEventSeqs are the earlier events this one was made from.
	SourceEventSeqs []int64 `json:"sourceEventSeqs,omitempty"`
	// SurfaceOp says how the event changes the sequence of model messages.
	SurfaceOp json.RawMessage `json:"surfaceOp,omitempty"`
	// Ignorable lets a reader that does not know the type skip the event.
	Ignorable bool `json:"ignorable,omitempty"`
}

// Schema is what goes over the wire, as data: package comment and tables in one. A program
// under tools/ writes the page's types from it.
type Schema struct {
	Methods []MethodSchema
	// Frames of both streams.
	Frames []FrameSchema
	// Elsewhere are types outside of methods and frames: error codes, and what is said to POST /api/respond.
	Elsewhere []reflect.Type
	// Vocabulary has the shapes of all these types.
	Vocabulary shape.Vocabulary
	// Names are what a page calls types that have another name here.
	Names map[reflect.Type]string
}

// MethodSchema is a method: what its calls carry, and what it answers.
type MethodSchema struct {
	Name           string
	Payload, Value reflect.Type
}

// FrameSchema is a kind of frame. Stream is "mux", "host", or "" for one that both have.
type FrameSchema struct {
	Stream, Name string
	Payload      reflect.Type
}

// NewSchema returns the schema; the caller owns it, but not the maps and types in it.
func NewSchema() Schema {
	s := Schema{Frames: slices.Clone(frames), Elsewhere: elsewhere, Vocabulary: vocabulary, Names: names}
	for _, m := range methods(nil) {
		s.Methods = append(s.Methods, MethodSchema{m.name, m.payload, m.value})
	}
	return s
}

// method answers calls.
type method struct {
	name           string
	payload, value reflect.Type
	// call takes the payload's raw JSON; shape is the payload's.
	call func(ctx context.Context, rpcID string, payload json.RawMessage, shape *shape.Shape) (any, error)
}

// checked is a payload that has more to say than its shape.
type checked interface{ issues() []string }

// on makes a method of a function with a typed payload.
func on[P any, V any](name string, f func(ctx context.Context, rpcID string, p P) (V, error)) method {
	call := func(ctx context.Context, rpcID string, payload json.RawMessage, s *shape.Shape) (any, error) {
		var p P
		if issues := decode("payload", payload, s, &p); issues != nil {
			return nil, badRequest("invalid payload", issues...)
		}
		if c, ok := any(p).(checked); ok {
			if issues := c.issues(); len(issues) > 0 {
				return nil, badRequest("invalid payload", issues...)
			}
		}
		return f(ctx, rpcID, p)
	}
	return method{name, reflect.TypeFor[P](), reflect.TypeFor[V](), call}
}

func frame[P any](stream, name string) FrameSchema {
	return FrameSchema{stream, name, reflect.TypeFor[P]()}
}

func texts[T ~string](values ...T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// callable is a method with the shape of its payload.
type callable struct {
	method
	shape *shape.Shape
}

// envelopes are the shapes of what a page sends outside of payloads.
type envelopes struct{ request, response, answer, decision *shape.Shape }

func newEnvelopes() (e envelopes, err error) {
	for into, t := range map[**shape.Shape]reflect.Type{
		&e.request: reflect.TypeFor[request](), &e.response: reflect.TypeFor[clientResponse](),
		&e.answer: reflect.TypeFor[answerValue](), &e.decision: reflect.TypeFor[decisionValue](),
	} {
		if *into, err = vocabulary.Of(t); err != nil {
			return envelopes{}, fmt.Errorf("api: %w", err)
		}
	}
	return e, nil
}

// callables makes the methods of a ready to be called.
func callables(a *API) (map[string]callable, error) {
	all := map[string]callable{}
	for _, m := range methods(a) {
		s, err := vocabulary.Of(m.payload)
		if err != nil {
			return nil, fmt.Errorf("api: %s: %w", m.name, err)
		}
		all[m.name] = callable{m, s}
	}
	return all, nil
}
