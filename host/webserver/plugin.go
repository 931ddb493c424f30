package webserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"regexp"
	"syscall"

	"keylane/host/api"
	"keylane/host/composition"
	"keylane/host/settings"
)

// Service is the running web server.
var Service = composition.NewService[*Server]("webserver")

// Client is the page's files: index.html, manifest.json and what they name. It is
// supplied by the program, not by a row.
var Client = composition.NewService[fs.FS]("client")

// Config of the row.
type Config struct {
	// Host is the address to listen on. Anything but loopback lets the whole network
	// command this machine: there is no login.
	Host string `yaml:"host"`
	// Port to listen on; 0 lets the system choose.
	Port int `yaml:"port"`
}

// Defaults are what a row is without a config: this machine alone, and any free port.
func Defaults() Config { return Config{Host: "127.0.0.1"} }

// hostName is what the name of a machine can consist of.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?$`)

// Validate checks the address.
func (c Config) Validate() error {
	if c.Host == "" {
		return &composition.FieldError{Path: "host", Err: errors.New("missing; 127.0.0.1 is this machine alone")}
	}
	if _, err := netip.ParseAddr(c.Host); err != nil && !hostName.MatchString(c.Host) {
		return &composition.FieldError{Path: "host", Err: fmt.Errorf("%q is neither an address nor the name of a machine", c.Host)}
	}
	if c.Port < 0 || c.Port > 65535 {
		return &composition.FieldError{Path: "port", Err: fmt.Errorf("%d: want 0 to 65535", c.Port)}
	}
	return nil
}

// Plugin provides Service.
func Plugin() composition.Plugin {
	return composition.Define("webserver", "serves the page", composition.Definition[Config]{
		Needs:    []composition.Key{api.Service, api.BuildService, Client, settings.Service},
		Provides: []composition.Key{Service},
		Defaults: Defaults,
		Start: func(ctx context.Context, s *composition.Scope, c Config) error {
			page, err := NewPage(composition.Need(s, Client), composition.Need(s, api.BuildService).Version, preferencesOf(composition.Need(s, settings.Service)))
			if err != nil {
				return err
			}
			server, err := Listen(ctx, Options{Host: c.Host, Port: c.Port, API: composition.Need(s, api.Service), Page: page, Logger: s.Logger()})
			if err != nil {
				return blame(err)
			}
			composition.Provide(s, Service, server)
			s.OnDispose("server", server.Close)
			return nil
		},
	})
}

// preferencesOf reads the settings for Page. The mode of new sessions is for settings.describe alone.
func preferencesOf(store *settings.Store) func() Preferences {
	return func() Preferences {
		values := store.Read().Values
		p := Preferences{Theme: values[settings.Theme], Locale: values[settings.Locale]}
		delete(values, settings.Permission)
		text, err := json.Marshal(values)
		if err == nil { // texts by texts: it cannot fail
			p.JSON = string(text)
		}
		return p
	}
}

// blame says which key of the config it is that cannot be listened on.
func blame(err error) error {
	var lookup *net.DNSError
	switch {
	case errors.Is(err, ErrAddressInUse), errors.Is(err, syscall.EACCES):
		return &composition.FieldError{Path: "port", Err: err}
	case errors.As(err, &lookup), errors.Is(err, syscall.EADDRNOTAVAIL):
		return &composition.FieldError{Path: "host", Err: err}
	}
	return err
}
