package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"keylane/host"
	"keylane/host/composition"
	"keylane/host/home"
	"keylane/host/webserver"
)

// closeLimit bounds the graceful end; a tool that resists gets killed well within it.
const closeLimit = 20 * time.Second

type webCommand struct {
	treeFlags
	Host   string `help:"Address to listen on. There is no login: on anything but loopback, whoever reaches the port commands this machine. Default: 127.0.0.1." placeholder:"ADDRESS"`
	Port   *int   `help:"Port to listen on; 0 lets the system choose. Default: 3080." placeholder:"N"`
	NoOpen bool   `help:"Do not open a browser."`
	Debug  bool   `help:"Log what the host does, on standard error."`
}

// Help is what kong shows below the flags.
func (webCommand) Help() string {
	return `Prints the page's address, one line "keylane: URL" on standard output, and serves until it is ended with Ctrl-C or TERM: turns that run are stopped, everything is written down, and the exit code is 0. A second signal ends it at once.

What is said beside that goes to standard error: rows of the composition that did not start or wait, with the reason and the place; the rest runs without them.

Environment: DEEPSEEK_API_KEY, the key of the live model; KEYLANE_HOME, the home folder. Flags win over HOME/config.yml and --patch files.

Examples:

    keylane web
    keylane web --port 0 --no-open               any free port, for a script
    keylane web --home /tmp/try                  with nothing of what is in ~/.keylane
    keylane web --patch quiet.yml                with another composition, for once

` + exitCodes
}

// Validate is called by kong: what it refuses is a misuse.
func (w webCommand) Validate() error {
	if w.Port != nil && (*w.Port < 0 || *w.Port > 65535) {
		return fmt.Errorf("--port %d: want 0 to 65535", *w.Port)
	}
	return nil
}

func (w webCommand) Run(c console) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	layers, err := w.allLayers()
	var mistake *composition.Error
	if errors.As(err, &mistake) {
		return w.notStarted(err)
	}
	if err != nil {
		return err
	}
	level := slog.LevelWarn
	if w.Debug {
		level = slog.LevelDebug
	}
	logger := slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: level}))
	if h, err := home.Locate(w.Home); err != nil {
		return err
	} else if err := writable(h.Dir()); err != nil {
		return err
	}
	in, err := host.Boot(c.stop, host.Options{Layers: layers, Logger: logger, Client: client})
	if err != nil && c.stop.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // asked to end before it had begun
	}
	if err != nil {
		return w.notStarted(err)
	}
	failure := w.serve(c, in)
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	return errors.Join(failure, in.Close(ctx))
}

// allLayers adds what --host and --port say.
func (w webCommand) allLayers() ([]composition.Layer, error) {
	layers, err := w.layers()
	if err != nil || (w.Host == "" && w.Port == nil) {
		return layers, err
	}
	// A patch replaces a config whole, so what the flags leave open is asked of the tree.
	tree, err := host.Tree(layers...)
	if err != nil {
		return nil, err
	}
	settings := webserver.Defaults()
	if err := tree.Config("webserver", &settings); err != nil {
		return nil, err
	}
	var flags []string
	if w.Host != "" {
		settings.Host = w.Host
		flags = append(flags, "--host")
	}
	if w.Port != nil {
		settings.Port = *w.Port
		flags = append(flags, "--port")
	}
	patch, err := flagLayer(strings.Join(flags, ", "), "webserver", settings)
	return append(layers, patch), err
}

func (w webCommand) serve(c console, in *composition.Instance) error {
	server, ok := composition.Get(in, webserver.Service)
	if !ok {
		return fmt.Errorf("the row webserver does not run:\n%s", in.Report())
	}
	fmt.Fprintf(c.out, "keylane: %s\n", server.URL())
	tellReport(c, in.Report())
	if address, _, err := net.SplitHostPort(server.Address()); err == nil && !net.ParseIP(address).IsLoopback() {
		fmt.Fprintln(c.err, "keylane: warning: whoever reaches this port commands this machine; there is no login.\nNames other than localhost have to be listed in trustedHosts of the row api.")
	}
	if !w.NoOpen {
		w.open(c, server.URL())
	}
	<-c.stop.Done()
	return nil
}

// open shows the page in the person's browser where the system has a way to; the URL is
// printed either way.
func (w webCommand) open(c console, url string) {
	opener, err := exec.LookPath("xdg-open")
	if err != nil {
		return
	}
	command := exec.Command(opener, url)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // our Ctrl-C is not the browser's
	if err := command.Start(); err != nil {
		fmt.Fprintln(c.err, "keylane: opening the browser:", err)
		return
	}
	go func() { _ = command.Wait() }() // it may stay as long as the browser does; its end is nothing to us
}
