// Package agent runs sessions: it takes prompts, asks the model, runs the tools
// it calls, and writes all of it to the session's log.
//
// A Manager attaches sessions; an attached session has one Agent. Prompt puts a
// message into the agent's inbox, which is part of the log; while a turn runs,
// messages queue. One goroutine per agent, the driver, runs turns until the
// inbox is empty, and ends. A turn's events come in this order:
//
//	agent/inbox/spliced            the message arrives (may be long before)
//	turn/start, agent/inbox/spliced, step/start, user/message, session/title
//	user/message …                 context that the model does not have yet (package prompt)
//	request/header, request/context    when they differ from the last ones
//	compaction/start, compaction/summary, user/message, compaction/end    when the window is nearly full
//	assistant/chunk …, llm/retry, llm/retry-started    each failed attempt
//	assistant/chunk …, assistant/message
//	tool/call …, tool/result …     each call of the message, in its order; of calls that
//	                               run side by side first all calls, then all results
//	approval/asked, approval/decided   between a call and its result, when it needs the person's leave
//	step/end, step/start …         while the model calls tools
//	turn/end
//
// Steer hands a message to the running turn instead: it waits in a second queue of the
// inbox and is logged as an ordinary user/message at the start of the next step. A turn
// whose model is done makes another step while something waits there; a turn that ends
// otherwise puts it in front of the queue. Messages in the queue can be edited, removed
// and steered until a turn takes them; each is taken once.
//
// Two more kinds of model call exist. Beside the first request of a session, a call for a
// title may run (session/title-llm-request, then session/title), which no turn waits for
// and WhenIdle does. A summary of the older history (package compaction) takes its place
// before a step's request, after a provider said that the window is exceeded, or between
// turns because a person asked; the driver makes that call, so that nothing else happens
// meanwhile, and Stop ends it.
//
// Five rules hold whatever is cut, cancelled or broken:
//
//   - a model request is built from the log alone: what a model sees, a reader sees;
//   - nothing happens before it is durable that it may happen: the log is flushed
//     before a request is dispatched and before a tool's body runs, and when the
//     flush fails neither happens;
//   - a call that needs the person's leave does nothing before the decision is durable;
//   - every tool call in an assistant message gets exactly one result;
//   - an agent is idle only once everything it logged is durable, or it could not be
//     stored: a Change of kind Storage says so before, and another one when it is after all.
//
// Cancel ends the turn and keeps the inbox; what waits there stays until the next
// Prompt, which drains it in order.
//
// Nobody but the agent appends to its log. Do not build a request from anything
// else, do not start a second driver, do not hold an agent beyond its manager.
package agent
