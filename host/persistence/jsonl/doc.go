// Package jsonl is the session store on disk: one directory per session, in it one file, the session's log as JSON Lines, by default in
// Zstandard frames.
//
//	<root>/--<project>--/<session>/session.jsonl.zstd
//	<root>/.locks/<session>.lock                          while some host has the session open
//
// <project> comes from the session's cwd, <session> from its id (see Locate). The file only grows. Frame 0 is the header line, every later
// frame one batch of events that became durable together; all frames have a checksum. With compression "none" the same lines stand in
// session.jsonl as they are. A root has one encoding.
//
// A file appears at once with its header and first batch (written aside, synced, then linked to its name, so that nothing is ever
// overwritten). Later batches are appended and synced; a batch that could not be written whole is cut off again. So a crash can only leave
// the last batch torn. Load drops a torn end. What is damaged anywhere else is a persistence.Damage that names the place; everything before
// it can be read, and Repair makes a whole log of that, with a copy of the file as it was beside it (<file>.<time>.bak). The project, the
// header and the file's place must agree, so a file that was copied elsewhere by hand does not open.
//
// Who writes a session holds its lock, a lock of the kernel on a file that says who holds it; it is gone when its process is, however that
// ended. A program that knows nothing of the lock is noticed when the file has another size than it had, and the append refused.
//
// Reading takes a bounded amount of memory besides what it gives, whatever a file says of itself (decode.go): a frame is decompressed through
// a window of at most 32 MiB, a row has at most 64 MiB, a frame at most 1 GiB of text. What is beyond that is damage, and is not written.
//
// A pass over a file (survey.go) keeps where its pieces and turns begin and what they amount to, in little memory; the index (index.go) keeps
// surveys of large logs and one line for each session, so that a list reads no log and a page only the frames it shows. The index lies
// outside the root and may be removed at any time; it is never asked before the log's file is compared with what it was made from, and what
// goes on with a session never asks it.
package jsonl
