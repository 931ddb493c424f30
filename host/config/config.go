// Package config is the shipped composition: the rows of every host, and the patches
// that make it a host with a page. It is data only; package composition says how it
// is read, package host which plugins there are.
package config

import _ "embed"

// Base is base.yml, a list of rows.
//
//go:embed base.yml
var Base []byte

// Web is web.yml, patches over Base.
//
//go:embed web.yml
var Web []byte
