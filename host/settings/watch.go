package settings

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Watch calls s.Refresh whenever the file may have changed, until the returned function is called, which waits for the end. It watches the folder, which
// must exist: a file that is renamed into place is another one than before.
func (s *Store) Watch(logger *slog.Logger) (stop func(context.Context) error, err error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("settings: watching: %w", err)
	}
	if err := watcher.Add(filepath.Dir(s.path)); err != nil {
		_ = watcher.Close() // there is nothing to lose in it
		return nil, fmt.Errorf("settings: watching: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case event, open := <-watcher.Events:
				if !open {
					return
				}
				if event.Name == s.path {
					s.Refresh()
				}
			case err, open := <-watcher.Errors:
				if !open {
					return
				}
				logger.Warn("watching the settings", "error", err)
				s.Refresh() // what was lost may have been a change
			}
		}
	}()
	s.Refresh() // what came between Open and now
	return func(context.Context) error {
		err := watcher.Close()
		<-done
		return err
	}, nil
}
