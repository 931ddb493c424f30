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
// by the order of calls. Within a session each purpose (turn, title, compaction) has a script and a cursor of its own, so that background calls
// take nothing from turns. Each turn call must follow the user text, and the tool calls, that the recorded one followed.
//
// What does not fit is raised from the stream, inside the turn, with the words a person needs; it is in [Handle.Strays] too and fails
// AssertConsumed, so that a failed call cannot pass for a failing provider. Nothing here records, and nothing is answered that was not recorded.
//
// Pacing ([Fixed], [Recorded]) is for realism. No assertion may depend on it.
package replay
