package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Fence keeps foreign pages away from the API: a page of another site that a browser was
// led to (CSRF), and one whose name was made to point here (DNS rebinding). It
// refuses a request
//
//  1. whose Host is neither loopback nor trusted,
//  2. that the browser marks as coming from another site (Sec-Fetch-Site),
//  3. that carries an Origin other than the Host it is sent to.
//
// It is not authentication: whoever can open a connection from this machine and is
// no browser passes.
type Fence struct{ trusted []string }

// NewFence makes a fence. Each trusted entry is a bare authority in canonical form,
// "name" for any port or "name:port" for one; anything else is an error.
func NewFence(trusted []string) (*Fence, error) {
	for _, entry := range trusted {
		u, err := url.Parse("http://" + entry)
		if err != nil || u.Host != entry || u.Hostname() == "" || entry != strings.ToLower(entry) || strings.HasSuffix(entry, ":") ||
			strings.ContainsAny(entry, " *%") {
			return nil, fmt.Errorf("api: trusted host %q: want a lower-case name or address, with or without a port, nothing else", entry)
		}
	}
	return &Fence{slices.Clone(trusted)}, nil
}

// Check returns why the request is refused, or nil.
func (f *Fence) Check(r *http.Request) error {
	host, err := url.Parse("http://" + r.Host)
	if err != nil || host.Host != r.Host || host.Hostname() == "" {
		return errors.New("the Host is malformed")
	}
	if !f.trusts(host) {
		return fmt.Errorf("the Host %q is neither loopback nor trusted", r.Host)
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return errors.New("the request comes from another site")
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	origin, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || origin.Host == "" || (origin.Scheme != "http" && origin.Scheme != "https") {
		return errors.New("the Origin is not usable")
	}
	if authority(origin, origin.Scheme) != authority(host, origin.Scheme) {
		return fmt.Errorf("the Origin %q is not the Host %q", origins[0], r.Host)
	}
	return nil
}

// CheckCall is Check for a call of a method: what concerns the machine itself is refused under a trusted name as well.
func (f *Fence) CheckCall(method string, r *http.Request) error {
	if !privileged(method) {
		return f.Check(r)
	}
	if err := new(Fence).Check(r); err != nil {
		return fmt.Errorf("%s is for loopback alone: %w", method, err)
	}
	return nil
}

// privilegedMethods is the one list of what a page may call only when it was opened under a loopback name: such a name is always this
// machine, while a trusted one is whatever answers for it. An entry that ends in a dot stands for a family.
var privilegedMethods = []string{
	"host.createDirectory", "host.listDirectory",
	"settings.",
	"credentials.",
}

func privileged(method string) bool {
	return slices.ContainsFunc(privilegedMethods, func(entry string) bool {
		return method == entry || strings.HasSuffix(entry, ".") && strings.HasPrefix(method, entry)
	})
}

func (f *Fence) trusts(host *url.URL) bool {
	name := strings.ToLower(host.Hostname())
	if name == "localhost" {
		return true
	}
	if address, err := netip.ParseAddr(name); err == nil && address.IsLoopback() {
		return true
	}
	return slices.Contains(f.trusted, strings.ToLower(host.Host)) ||
		slices.ContainsFunc(f.trusted, func(entry string) bool {
			u, err := url.Parse("http://" + entry)
			return err == nil && u.Port() == "" && u.Hostname() == name
		})
}

// authority is host and port, the scheme's own port where none is written.
func authority(u *url.URL, scheme string) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}
