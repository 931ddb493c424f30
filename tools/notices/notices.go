package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// The sections of the file, in their order.
const (
	inBinary = "In the binary: Go"
	inPage   = "In the binary: the page"
	laneOnly = "Not in the binary: what builds and tests it"
)

var sections = []string{inBinary, inPage, laneOnly}

const preamble = `Third-party notices of keylane

keylane itself is under the MIT licence (LICENSE). This file names what it is made with. Written by tools/notices: do not edit.
Licence texts are indented.
`

// An entry is one thing of somebody else.
type entry struct {
	section  string
	name     string // a module path, a package name, or what people call it
	version  string // as its ecosystem writes it; "" for drawings and the like, which have none
	licences string // SPDX identifiers, joined by AND
	text     string // whole licence texts; "" for what is not passed on with the binary
}

// render writes the file. Entries keep their order within their section.
func render(entries []entry) []byte {
	var text bytes.Buffer
	text.WriteString(preamble)
	for _, section := range sections {
		fmt.Fprintf(&text, "\n# %s\n", section)
		for _, entry := range entries {
			if entry.section != section {
				continue
			}
			blank := ""
			if entry.text != "" {
				blank = "\n"
			}
			fmt.Fprintf(&text, "%s## %s (%s)\n%s", blank, strings.TrimSpace(entry.name+" "+entry.version), entry.licences, blank)
			for line := range strings.Lines(entry.text) {
				if line = strings.TrimRight(line, " \t\r\n"); line != "" {
					line = "    " + line
				}
				text.WriteString(line + "\n")
			}
		}
	}
	return text.Bytes()
}

var heading = regexp.MustCompile(`^## (.+?)(?: (v?[0-9][^ ]*))? \((.+)\)$`)

// parse reads what render wrote, texts without their indentation.
func parse(file []byte) ([]entry, error) {
	var entries []entry
	section, number := "", 0
	for line := range strings.Lines(string(file)) {
		number++
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "## "):
			parts := heading.FindStringSubmatch(line)
			if parts == nil || section == "" {
				return nil, fmt.Errorf("%s:%d: not a heading that tools/notices writes: %s", output, number, line)
			}
			entries = append(entries, entry{section: section, name: parts[1], version: parts[2], licences: parts[3]})
		case strings.HasPrefix(line, "# "):
			section = strings.TrimPrefix(line, "# ")
		case len(entries) > 0:
			entries[len(entries)-1].text += strings.TrimPrefix(line, "    ") + "\n"
		}
	}
	for i := range entries {
		entries[i].text = strings.Trim(entries[i].text, "\n")
	}
	return entries, nil
}

// separator stands between the packages of the page's licences.txt (tools/webbundle).
var separator = "\n\n" + strings.Repeat("-", 72) + "\n\n"

var packageHeading = regexp.MustCompile(`^(\S+) (\S+) \((.+)\)$`)

// pageEntries takes the page's licences.txt apart. What was taken over by hand has a name only; its text says its licence.
func pageEntries(licences string) ([]entry, error) {
	var entries []entry
	for part := range strings.SplitSeq(strings.TrimSuffix(licences, separator), separator) {
		title, text, _ := strings.Cut(part, "\n\n")
		found, err := licencesOf(text)
		if err != nil {
			return nil, fmt.Errorf("the page's %s: %w", title, err)
		}
		next := entry{section: inPage, name: title, licences: strings.Join(found, " AND "), text: trimmed(text)}
		if parts := packageHeading.FindStringSubmatch(title); parts != nil {
			next.name, next.version, next.licences = parts[1], parts[2], strings.Trim(parts[3], "()")
		}
		entries = append(entries, next)
	}
	return entries, nil
}

// trimmed is a text the way it comes back from the file.
func trimmed(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
