// Package bash is the tool that runs a shell command in the session's working directory, or in the folder that the call names.
//
// Every call is a fresh `bash -c` in a process group of its own, with no standard input and the host's environment without what is
// the host's alone (KEYLANE_…, …_API_KEY). Instead it has:
//
//	KEYLANE_SHELL=1         a command can tell that an agent runs it
//	KEYLANE_SESSION_ID      the session
//	KEYLANE_SPILL           the folder of the session's spill files, which need not exist
//	KEYLANE_COMMAND_ID      a random mark of the call, by which its processes are found again
//
// The call ends when the shell has ended and its process group is empty: what the command left running in the background is ended too
// (TERM, the grace, KILL). A process with a session of its own (setsid, a daemon) goes on after a command that ended by itself, and the
// result names it; when the call is cancelled or times out, it is ended with the rest. It is found by the mark in its environment and by
// its parents; docs/decisions/0009 says what can hide, and why there is no subreaper. Output is not waited for longer than a moment once
// the group is empty, whoever still holds the pipe.
//
// The text for the model is standard output, then a [stderr] section, then markers: [exit code: N] when not 0, [killed by signal: …],
// [timed out after …], [aborted]. Long output keeps its beginning and its end; the whole of it goes to a spill file (package spill),
// which the marker in the middle names, with the line at which the tool read goes on. A command that fails or times out is not an error
// of the tool; one that could not be started or was aborted is.
package bash
