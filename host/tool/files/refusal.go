package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"keylane/host/tool"
)

// Error codes of results that are errors.
const (
	CodeOutside      = "OUTSIDE_WORKSPACE" // the path, or a link on it, leads out of the working directory
	CodeNotFound     = "FILE_NOT_FOUND"
	CodeNotAFile     = "NOT_A_FILE" // a folder, device, pipe, or for writing a symbolic link
	CodeBinary       = "BINARY_FILE"
	CodeTooLarge     = "FILE_TOO_LARGE"
	CodeNoMatch      = "NO_MATCH"        // the text to replace is not there
	CodeAmbiguous    = "AMBIGUOUS_MATCH" // it is there more than once
	CodeChanged      = "FILE_CHANGED"    // somebody else changed it since the agent read it
	CodeInvalidInput = "INVALID_PATTERN"
	CodeFailed       = "FILE_FAILED" // the operating system refused
	CodeAborted      = "TOOL_ABORTED"
)

// refusal is an error that says to the model what to do about it.
type refusal struct{ code, text string }

func (r *refusal) Error() string { return r.text }

func refuse(code, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

func failure(err error) tool.Result {
	var known *refusal
	switch {
	case errors.As(err, &known):
		return tool.Failed("FileError", known.code, known.text)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return tool.Failed("AbortError", CodeAborted, "the call was aborted")
	}
	return tool.Failed("FileError", CodeFailed, err.Error())
}

// explain words what the operating system said about a path of the workspace.
func explain(path string, err error) error {
	var known *refusal
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case escapes(err):
		return refuse(CodeOutside, "%s leads outside the working directory. Only files below it can be used.", path)
	case errors.Is(err, fs.ErrNotExist):
		return refuse(CodeNotFound, "%s does not exist. Use glob to see what there is.", path)
	case errors.Is(err, syscall.ENOTDIR):
		return refuse(CodeNotFound, "%s does not exist: a part of the path is not a folder.", path)
	case errors.Is(err, syscall.EISDIR):
		return refuse(CodeNotAFile, "%s is a folder. Use glob to see what is in it.", path)
	case errors.Is(err, syscall.ELOOP):
		return refuse(CodeNotAFile, "%s is a symbolic link that leads to itself.", path)
	}
	var place *fs.PathError
	if errors.As(err, &place) {
		err = place.Err // without the path of this machine
	}
	return refuse(CodeFailed, "%s: %v", path, err)
}

// escapes tells whether an os.Root refused the path. The package os gives that error no name; a test holds its words.
func escapes(err error) bool { return strings.Contains(err.Error(), "path escapes from parent") }
