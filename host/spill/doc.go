// Package spill keeps what is too long for a tool's result: the whole output of a command, of which the model is shown the beginning and
// the end. The result names the file, and the tool read reads on in it.
//
// Every session has a folder of its own below the spill folder, made with the first file. Folders are open to nobody but the person
// (0700, files 0600), because output may hold what files keep secret. A file holds bytes as they were written, and no more than its bound;
// what came after that is counted and dropped.
//
// A file outlives the call, because the model may come back to it, and the host, because a session may be resumed. It goes when the host
// starts after it has not been written for the time that the row says ([Config.Keep]). Nothing else removes it: who wants it gone earlier
// deletes the folder.
package spill
