package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// problems says where the committed file disagrees with the tree, as far as the tree alone can tell: every dependency that is named
// anywhere stands in the file once, with its version; what the product imports is among what is in the binary; each text is there and
// is of the licences that the heading names; none of them is one that may not be shipped.
func problems(file []byte, known facts, imports []string) []string {
	entries, err := parse(file)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	say := func(format string, arguments ...any) { found = append(found, fmt.Sprintf(format, arguments...)) }
	stands := map[string]entry{}
	for _, entry := range entries {
		if _, twice := stands[entry.name]; twice {
			say("%s stands there twice", entry.name)
		}
		stands[entry.name] = entry
		if !slices.Contains(sections, entry.section) {
			say("%s is in the section %q", entry.name, entry.section)
		}
		if entry.section == laneOnly {
			continue
		}
		if !mayBeShipped(entry.licences) {
			say("%s is in the binary and under %s, which is not permitted", entry.name, entry.licences)
		}
		if _, err := licencesOf(entry.text); err != nil {
			say("%s: %v", entry.name, err)
		}
	}
	wanted := known.versions()
	for _, name := range sorted(wanted) {
		if got, there := stands[name]; !there {
			say("%s %s is missing", name, wanted[name])
		} else if got.version != wanted[name] {
			say("%s is %s, and %s in the file", name, wanted[name], got.version)
		}
	}
	for _, name := range sorted(stands) {
		if _, there := wanted[name]; !there && stands[name].version != "" {
			say("%s is in the file, and nothing in the tree needs it", name)
		}
	}
	for _, imported := range imports {
		if module := moduleOf(imported, known.modules); stands[module].section != inBinary {
			say("the product imports %s, and the file does not say that it is in the binary", imported)
		}
	}
	return found
}

// versions are all that the tree names, by name.
func (f facts) versions() map[string]string {
	all := map[string]string{goName: f.goVersion}
	for name, entry := range f.npm {
		all[name] = entry.Version
	}
	for _, some := range []map[string]string{f.modules, f.bazel, f.chromium} {
		for name, version := range some {
			all[name] = version
		}
	}
	return all
}

// moduleOf is the longest module path that an import path begins with, or "".
func moduleOf(imported string, modules map[string]string) (longest string) {
	for module := range modules {
		if (imported == module || strings.HasPrefix(imported, module+"/")) && len(module) > len(longest) {
			longest = module
		}
	}
	return longest
}

// productImports lists what the Go files of host/ and web/ that are not tests import from elsewhere.
func productImports(root fs.FS) ([]string, error) {
	found := map[string]bool{}
	for _, room := range []string{"host", "web"} {
		err := fs.WalkDir(root, room, func(name string, file fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if file.IsDir() && path.Base(name) == "node_modules" {
				return fs.SkipDir
			}
			if file.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range parsed.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				// the standard library's paths have no dot in their first part, and ours neither
				if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
					found[imported] = true
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return sorted(found), nil
}
