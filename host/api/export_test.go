package api

import (
	"maps"
	"slices"
)

// Methods are the names in the table of methods, sorted.
func (a *API) Methods() []string { return slices.Sorted(maps.Keys(a.methods)) }
