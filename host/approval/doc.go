// Package approval is the person's say in what an agent does: the modes of a session, and the desk where calls wait for a decision.
//
// What needs leave a tool says itself (tool.Asking). What then happens is the session's [Mode]: in Ask the call waits at the [Desk] until
// somebody decides or its turn is stopped, in ReadOnly it is refused, in Full it runs. The agent asks, logs approval/asked and
// approval/decided around the wait, and runs nothing before the decision is durable; the api shows what waits and brings the decisions.
// A session's mode is its last approval/policy event, or else the desk's default, which is the row's config.
//
// What waits does not survive the host; the turn it belongs to does not either. What was allowed for a session is in its log, and holds
// as long as the session lives.
//
// The desk knows nothing of tools: it must not decide anything by a tool's name.
package approval
