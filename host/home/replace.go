package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts a file in the place of another: complete and durable before anybody sees it. The folder must be there. Whoever may change
// the file at the same time needs a lock of their own.
func Replace(path string, text []byte, mode fs.FileMode) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // the person's alone
	if err != nil {
		return fmt.Errorf("home: replacing a file: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("home: replacing a file: %w", errors.Join(err, os.Remove(temporary.Name())))
		}
	}()
	_, err = temporary.Write(text)
	if err == nil {
		err = temporary.Chmod(mode)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err := errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
