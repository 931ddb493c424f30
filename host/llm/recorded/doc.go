// Package recorded answers model calls from a recorded session log.
//
// [Derive] reads a log and gives, for each purpose a model was called for, a [Script]: the calls in the order they were made, each with
// the chunks it was answered with. Turn calls come from assistant/chunk events, title calls from titles a model chose, compaction calls from
// summaries that kept the model's raw output. The lane's replay (package replay) builds on this; so does [NewDemo], the provider with which
// a newcomer without a key sees everything work.
//
// A log tells nothing about a call that failed before its first chunk, and not all about one that was cut: such a call has no finish
// chunk, and Derive names it in an [*UnfinishedError] instead of inventing an end.
package recorded
