package webserver

import (
	"net/http"
	"strings"
)

// policy is the page's content security policy: its own scripts, styles and data, and
// nothing inline.
var policy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "worker-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
	"connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
}, "; ")

// secure sets what every answer carries.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}
