// Package replay lets a recorded session log answer the model calls of a real host.
//
// [Install] reads a fixture and registers the provider "deepseek" with its catalogue in the place of the real adapter (whose row the lane
// disables). From then on every model call is answered with the chunks that were recorded for it:
//
//	handle, err := replay.Install(registry, replay.Options{Fixture: "…/session.jsonl", Transform: fillTokens})
//	…                                    // drive the host
//	err = handle.AssertConsumed()        // everything that was recorded was asked for
//	handle.Dispose()
//
// A fixture is session.jsonl and, beside it, session.<name>.jsonl for each further session that asked models (children, mostly). A live
// session is bound to the recorded one of equal lineage (a root, or a child of the same parent) whose first user text equals its own; never
// by the order of calls, unless the override says so (bind, below). Within a session each purpose (turn, title, compaction) has a script and a cursor of its own, so that background calls
// take nothing from turns. Each turn call must follow the user text, and the tool calls, that the recorded one followed.
//
// An override (override.yml, written by hand) makes turn calls of the main session go otherwise than recorded. An entry replaces the call at
// its position, counted from 0, or, at exactly the recorded length, adds one that may follow anything:
//
//	calls:
//	  - at: 0
//	    hang: {marker: half, prefix: 12}     # 12 recorded chunks, then nothing until it is cancelled; Options.Marker is told "half"
//	  - at: 1
//	    throw: {code: AUTH, message: "…", status: 401, retryAfterMs: 5000, requestId: r-1}   # may have a prefix too
//	  - at: 2
//	    chunks: recorded                     # or a list of chunks, in the words of the session log, that ends in a finish
//	    cut: 7                               # optional: the stream breaks after 7 chunks
//	  - at: 3
//	    chunks:
//	      - {type: text-delta, index: 0, text: Hello}
//	      - {type: finish, reason: {kind: stop}}
//
// Where sessions begin alike, nothing tells which live one is which; an override may then name all of them, in the order in which they first
// ask. It is for sessions that are driven one after the other; those that run side by side need different texts:
//
//	bind: [session.jsonl, session.second.jsonl]
//
// A prefix is a number of recorded chunks, or a list of chunks without a finish. The file is strict: every mistake, also a position that is out
// of range or named twice, is an error with line and column when the replay is installed.
//
// What does not fit is raised from the stream, inside the turn, with the words a person needs; it is in [Handle.Strays] too and fails
// AssertConsumed, so that a failed call cannot pass for a failing provider. Nothing here records, and nothing is answered that was not recorded.
//
// Pacing ([Fixed], [Recorded]) is for realism. No assertion may depend on it.
package replay
