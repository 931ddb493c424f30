//go:build !bazelembed

package web

import "io/fs"

// Client always fails with [ErrAbsent] in a build without the page.
func Client() (fs.FS, error) {
	return nil, ErrAbsent
}
