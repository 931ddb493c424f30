// Package api is the host as a page sees it: unary calls under POST /api/<method>,
// and two event streams, GET /api/events.mux for the sessions and GET
// /api/events.host for the host itself.
//
// One function, Dispatch, answers every unary call. HTTP and the in-process Call
// go through it, so that they cannot differ by a byte. A call is an envelope
//
//	{"type":"client-request","rpcId":R,"method":M,"payload":{…}}
//	{"type":"server-response","rpcId":R,"result":{"ok":true,"value":{…}}}
//	{"type":"server-response","rpcId":R,"result":{"ok":false,"error":{"code":…,"message":…,"details":{…}}}}
//
// Envelope and payload are decoded strictly: an unknown or doubled key is a
// bad-request, never ignored. What goes wrong inside a method is a result with a code of
// the closed set below and HTTP status 200; other statuses mean that the
// request did not reach a method.
//
// A stream is server-sent events. Every frame is
//
//	id: <epoch>-<n>
//	data: {"type":"server-request","rpcId":…,"method":F,"payload":{…}}
//
// with one frame per event, never batched. The epoch names this run of the host, n counts
// the stream's frames. A stream opens with the comment ": connected". A reader
// without a cursor then gets the baseline (on the mux: session/subscribed of every
// attached session, session/storage of those in trouble, question/requested and approval/requested of what waits, session/queue; ids <epoch>-0) and a block that holds only an
// id, its cursor; what follows is live, without a gap. A reader that sends
// Last-Event-ID gets what it missed instead. When that is no longer kept, or the
// epoch is another, the stream says so in a frame "resync", and starts over
// with the baseline. A reader too slow for what is kept gets the same treatment
// in mid-stream, and one that takes nothing at all is cut off by the write
// deadline: no reader ever makes the host wait.
//
// A frame question/requested asks the person. Its rpcId stays the same however often it is
// sent; POST /api/respond with that id brings the answer or, with the error code
// "cancelled", the dismissal, and gets a receipt:
//
//	{"type":"client-response","rpcId":R,"result":{"ok":true,"value":{"sessionId":…,"answer":{"answers":[{"id":…,"selected":[…],"custom":…}]}}}}
//	{"accepted":true}   {"accepted":false,"reason":"not-pending"|"bad-response"}
//
// question/resolved tells every page that it is over. A frame approval/requested asks for leave to run a call in the same way; the value of
// its answer is {"sessionId":…,"approvalId":R,"outcome":"allowed-once"|"allowed-session"|"rejected"}, and approval/resolved ends it.
//
// A frame session/storage with a trouble says that a session's log cannot be stored for now, and from which event on it is in the host's
// memory only; it comes before the session/status of a turn that ends so, and is in the baseline. One without a trouble ends it.
//
// A frame session/queue lists what waits in a session, whole after every change, and
// what a turn has taken until its user/message is on the stream; it comes before the event
// that changed the queue. A session that is not attached has its queue in the
// projections of session.history.
//
// session.history reads without opening: a session that another host has open (lockedBy; what would write it is refused with session-locked),
// and one whose file is damaged (damage: where, what is lost, and the command that repairs it), of which it gives what is before the damage.
//
// Which sessions are put away and what order a person gave those of a folder is kept beside the logs (package workspace). The frames that
// tell of a change, host/workspace-changed with the whole workspace (one that a page does not know comes last), host/workspace-removed,
// host/workspaces-ordered with all ids and host/archived-sessions-changed with the whole set, come in the order of the changes, so that
// pages which apply the last one agree. A second host on the same home tells its own pages only; the others see
// it when they fetch the lists again.
//
// In front of everything stands the trust fence, see Fence. It keeps foreign pages out;
// it does not identify people.
//
// Failure texts of model calls are for the log. On the wire, in events and history,
// they have gone through llm.DisplaySafe.
package api
