// Package files is the tools that look at and change files of the session's working directory: read, write, edit, glob and grep.
//
// The working directory is the workspace, and nothing outside it can be reached: every path goes through an [os.Root], so that neither
// "..", an absolute path, nor a symbolic link on the way (also one that is put there meanwhile) leads out. A path may be absolute when it
// lies below the working directory. A link that stays inside is followed for reading; writing wants the file itself.
//
// Files are text in UTF-8. A write puts a complete new file into the place of the old one (temporary file, fsync, rename), keeps its
// permissions, and never leaves half of either. Searches do not follow links to folders, leave out the ignored folders of the
// configuration, and come in the order of the paths.
//
// What cannot be done is a result with IsError and one of the codes below, worded so that the model knows its next step. The Meta of a
// result is what the page shows: {"card":"file"} with the content read, {"card":"diff"} with the change made, {"card":"search"}.
//
// [Find] is for people: it finds the files that a few typed characters may mean.
//
// [New] makes all five; read, glob and grep change nothing and may run beside other calls.
package files
