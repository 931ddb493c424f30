// Package files is the tools that look at and change files of the session's working directory: read, write, edit, glob and grep.
//
// The working directory is the workspace, and nothing outside it can be reached: every path goes through an [os.Root], so that neither
// "..", an absolute path, nor a symbolic link on the way (also one that is put there meanwhile) leads out. A path may be absolute when it
// lies below the working directory. A link that stays inside is followed for reading; writing wants the file itself.
//
// There is one more place for read: the spill files of the session (package spill), which results name by their handles, "spill:…".
//
// Files are text in UTF-8. Reading goes line by line, so that a file of any size can be read in pieces. A write puts a complete new file into the place of the old one (temporary file, fsync, rename), keeps its
// permissions and its \r\n, and never leaves half of either. It refuses a file that somebody changed since the agent read it; an edit
// does not, because it replaces only text that is still there. Searches do not follow links to folders, leave out the folders that the
// configuration names and what .gitignore files of the workspace name (also .git/info/exclude, but no file outside the workspace, as a
// repository's that the workspace lies in), say how many files they could not look into, and come in the order of the paths.
//
// What cannot be done is a result with IsError and one of the codes below, worded so that the model knows its next step. The Meta of a
// result is what the page shows: {"card":"file"} with the content read, {"card":"diff"} with the change made, {"card":"search"}.
//
// [Find] is for people: it finds the files that a few typed characters may mean.
//
// [New] makes all five; read, glob and grep change nothing and may run beside other calls.
package files
