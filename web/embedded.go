//go:build bazelembed

package web

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
)

//go:embed client.zip
var archive []byte

// Client returns the page's files, paths without a leading slash
// ("index.html", "manifest.json", "assets/shell.js"). The archive stores its
// files uncompressed, so opening one costs a copy and nothing else.
func Client() (fs.FS, error) {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("web: opening the embedded page: %w", err)
	}
	return files, nil
}
