package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// exitForced is what a second signal exits with: 128 + SIGINT, as shells count.
const exitForced = 130

// signals returns a context that ends with the first TERM or INT. The second one ends
// the process at once: the person has waited long enough. done releases it.
func signals() (stop context.Context, done func()) {
	stop, cancel := context.WithCancel(context.Background())
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, syscall.SIGTERM, syscall.SIGINT)
	released := make(chan struct{})
	go func() {
		select {
		case <-caught:
			cancel()
		case <-released:
			return
		}
		select {
		case <-caught:
			os.Exit(exitForced)
		case <-released:
		}
	}()
	return stop, func() {
		signal.Stop(caught)
		close(released)
		cancel()
	}
}
