package directory

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// errNotAbsolute: a path that does not begin at a root, or at "~".
var errNotAbsolute = errors.New("the path is not absolute")

// errNotFolder: what is there is no folder.
var errNotFolder = errors.New("it is not a folder")

// Reason is why an error of this package, or any other about a folder of the machine, came about, in a word that a page can say in its
// person's language; "" is a reason that has none.
func Reason(err error) string {
	switch {
	case errors.Is(err, ErrExists), errors.Is(err, fs.ErrExist):
		return "exists"
	case errors.Is(err, errNotAbsolute):
		return "not-absolute"
	case errors.Is(err, errNotFolder), errors.Is(err, syscall.ENOTDIR):
		return "not-a-folder"
	case errors.Is(err, fs.ErrNotExist):
		return "not-found"
	case errors.Is(err, syscall.EROFS):
		return "read-only"
	case errors.Is(err, os.ErrPermission):
		return "permission"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "no-space"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "too-long"
	}
	return ""
}
