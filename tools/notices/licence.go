package main

import (
	"fmt"
	"slices"
	"strings"
)

// terms are sentences that only one licence has, in lower case and with single spaces. The names are SPDX identifiers.
var terms = []struct{ name, words string }{
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"Apache-2.0", "licensed under the apache license, version 2.0"},
	{"OFL-1.1", "sil open font license version 1.1"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"GPL", "gnu general public license version"},
	{"LGPL", "gnu lesser general public license version"},
	{"public domain", "dedicated to the public domain"},
	{"patent grant", "additional ip rights grant"},
}

// permitted are the licences that something in the binary may have: they ask for their text to be passed on, and NOTICES does that.
// A pair of licences to choose from ("A OR B") is permitted if one of them is.
var permitted = []string{"MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "OFL-1.1", "public domain", "patent grant"}

// licencesOf says which licences a text holds, sorted; none is an error, since terms that nobody knows cannot be kept.
func licencesOf(text string) ([]string, error) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	var found []string
	for _, term := range terms {
		if strings.Contains(text, term.words) {
			found = append(found, term.name)
		}
	}
	if strings.Contains(text, "redistribution and use in source and binary forms") {
		name := "BSD-2-Clause"
		if strings.Contains(text, "used to endorse or promote products") {
			name = "BSD-3-Clause"
		}
		found = append(found, name)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no licence that is known here: %.60q", text)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// mayBeShipped says whether something of these licences, written as in NOTICES, may be in the binary.
func mayBeShipped(licences string) bool {
	for _, all := range strings.Split(strings.Trim(licences, "()"), " AND ") {
		if !slices.ContainsFunc(strings.Split(all, " OR "), func(one string) bool { return slices.Contains(permitted, one) }) {
			return false
		}
	}
	return true
}
