// Package webserver serves the page and, below /api, the API.
//
// The page is a file system of finished files (package web has the one that is
// compiled in): index.html, manifest.json, and what they name. Nothing is built
// here. The rules, in this order:
//
//	/api, /api/…        package api, all methods
//	anything else       GET and HEAD only, else 405
//	a path with .. etc. 403
//	/boot.json          manifest.json with the host's version added
//	a file              the file, with an ETag; immutable when asked for with ?rev=
//	/favicon.ico        204 when there is none
//	/plugins/…, or a    404 when there is no such file
//	name with an asset's extension
//	anything else       index.html: the page reads its own path
//
// Into index.html go the preferences that a page must know before it is painted, theme and language; nothing else of it is changed.
//
// Close ends the event streams, gives calls in flight a moment, and then cuts
// what is left, so that an open page never keeps the host from ending.
package webserver
