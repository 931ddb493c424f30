// Package tool is what an agent can do besides talking: a registry of tools, and the checks in front of them.
//
// A [Tool] has a schema the model is shown and a Run that does the work. The agent never calls Run: it gives the model's raw argument
// text to [Registry.Execute], which finds the tool, parses the text strictly and checks it against the tool's JSON Schema, compiled once
// when the tool was registered. So a tool's Run sees arguments that are valid, and everything that is wrong with a call (no such tool, no
// JSON, a wrong argument) is a [Result] for the model with IsError set, never a Go error: a failed call is not a failed turn.
//
// A tool describes its arguments once, as the Go type that it decodes them into; [Parameters] makes the schema of it.
//
// Calls of one step may overlap only where each tool says that it is [Parallel]; the agent runs every other call alone.
//
// A tool whose calls run or change something says so by being [Asking]; the agent asks [Registry.Ask] before it runs a call, and the person
// where the session's mode says so (package approval). Which tools need leave is said nowhere else.
//
// What a result means for the log (order, events, synthetic results of a cancelled turn) is the agent's business. A tool holds no state
// of a session, and nothing it starts outlives its Run, but for processes that asked to (see bash).
package tool
