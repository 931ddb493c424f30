package spill

import (
	"fmt"
	"os"
	"path/filepath"
)

// File is one file while it is written. It is for one goroutine at a time.
type File struct {
	file    *os.File
	room    int64 // bytes that still fit
	kept    int64
	dropped int64
	problem error // the first failed write; nothing is written after it
}

// Write takes all of data and never fails: what does not fit, or cannot be written, is counted by Dropped. Whoever feeds it from a
// process must go on reading whatever happens to the file.
func (f *File) Write(data []byte) (int, error) {
	fits := data[:min(int64(len(data)), f.room)]
	if f.problem == nil && len(fits) > 0 {
		n, err := f.file.Write(fits)
		f.kept, f.room = f.kept+int64(n), f.room-int64(n)
		f.dropped -= int64(n)
		if err != nil {
			f.problem = fmt.Errorf("spill: writing: %w", err)
		}
	}
	f.dropped += int64(len(data))
	return len(data), nil
}

// Path is where the file lies, absolute.
func (f *File) Path() string { return f.file.Name() }

// Handle is what a model calls the file: Scheme and its name. It is the same on every machine, and good within the session.
func (f *File) Handle() string { return Scheme + filepath.Base(f.file.Name()) }

// Kept is the number of bytes in the file.
func (f *File) Kept() int64 { return f.kept }

// Dropped is the number of bytes that were given and are not in the file.
func (f *File) Dropped() int64 { return f.dropped }

// Close ends the writing. Its error is the first thing that went wrong: then the file holds only the beginning of what it should.
func (f *File) Close() error {
	err := f.file.Close()
	if f.problem != nil {
		return f.problem
	}
	if err != nil {
		return fmt.Errorf("spill: closing: %w", err)
	}
	return nil
}
