// Package bash is the tool that runs a shell command in the session's working directory.
//
// Every call is a fresh `bash -c` in a process group of its own, with no standard input and the host's environment without what is
// the host's alone (KEYLANE_…, …_API_KEY). The call ends when the shell has ended and its process group is empty: what the command left
// running in the background is ended too (TERM, the grace, KILL), as it is when the call times out or is cancelled. A process that makes
// a session of its own (setsid) escapes the group; nothing here looks for it, and its output is not waited for.
//
// The text for the model is standard output, then a [stderr] section, then markers: [exit code: N] when not 0, [killed by signal: …],
// [timed out after …], [aborted]. Long output keeps its beginning and its end. A command that fails or times out is not an error of the tool; one
// that could not be started or was aborted is.
package bash
