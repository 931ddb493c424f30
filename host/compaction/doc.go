// Package compaction makes room in a model's context window: it says how full it is, what to leave out, and how to have that summarised.
//
// [Measure] prices a request. [Config.Plan] splits the history: the oldest whole units, which a summary will stand for, and the newest, which
// stay word for word. A unit is a message, or an assistant message with the results of all its calls: a call and its result are never
// parted. [Request] is what a model is asked for the summary with, [Message] what takes the place of the rest.
//
// Everything here is a pure function of the log. Who calls the model, writes the events and decides when, is package agent: at the border of
// each step, when [Config.Pressed], when a provider says that the window is exceeded, and when a person asks. The human transcript keeps
// everything; only the model's history is shortened.
package compaction
