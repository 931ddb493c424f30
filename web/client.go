// Package web hands out the page that keylane serves: the bundled client as a
// read-only file system.
//
// The TypeScript of this folder is bundled by tools/webbundle into one
// archive, client.zip, and compiled into the binary, so that keylane runs from
// any folder with nothing beside it. Only a Bazel build does that (build tag
// bazelembed); a plain `go build` has no archive and [Client] says so instead
// of serving an empty page.
//
// Don't read files of this folder at run time, and don't commit client.zip.
package web

import "errors"

// ErrAbsent means that this binary was built without the page.
var ErrAbsent = errors.New("web: this binary was built without the page: build it with `./bazelw build //:web`")
