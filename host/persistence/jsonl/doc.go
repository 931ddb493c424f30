// Package jsonl is the session store on disk: one directory per session, in it one file, the session's log as JSON Lines, by default in
// Zstandard frames.
//
//	<root>/--<project>--/<session>/session.jsonl.zstd
//
// <project> comes from the session's cwd, <session> from its id (see Locate). The file only grows. Frame 0 is the header line, every later
// frame one batch of events that became durable together; all frames have a checksum. With compression "none" the same lines stand in
// session.jsonl as they are. A root has one encoding.
//
// A file appears at once with its header and first batch (written aside, synced, then linked to its name, so that nothing is ever
// overwritten). Later batches are appended and synced; a batch that could not be written whole is cut off again. So a crash can only leave
// the last batch torn. Load drops a torn end; what is damaged anywhere else is an error that names the place, and no file is changed then.
//
// There is no lock between processes yet: two hosts must not write one session. A store notices that a file was changed by somebody else
// and refuses to append. The project, the header and the file's place must agree, so a file that was copied elsewhere by hand does not open.
package jsonl
