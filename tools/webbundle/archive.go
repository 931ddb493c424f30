package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Archive writes files (path in the archive → content) as a zip whose bytes
// depend on nothing but them: sorted, without times, stored uncompressed, so
// that a server reads an entry without inflating it.
func Archive(files map[string][]byte) ([]byte, error) {
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store})
		if err != nil {
			return nil, fmt.Errorf("webbundle: archiving %s: %w", path, err)
		}
		if _, err := entry.Write(files[path]); err != nil {
			return nil, fmt.Errorf("webbundle: archiving %s: %w", path, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("webbundle: closing the archive: %w", err)
	}
	return buffer.Bytes(), nil
}
