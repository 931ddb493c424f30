// Package project says what project a folder belongs to, and reads the files a project speaks to agents through.
//
// A project's root is the nearest folder at or above the working directory that holds .git; without one the working directory is its own
// project. What a project holds was written by whoever wrote the project, which need not be the person who runs the host: its files are
// read through a [Place] that is confined to the root, so that no link in a cloned repository can put a file from elsewhere before a model.
// The person's own folders are read through a trusted Place, where links lead wherever the person let them lead.
//
// This package reads. It must not decide what the files mean.
package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root is the root of the project that the folder cwd, an absolute path, belongs to.
func Root(cwd string) string {
	for at := filepath.Clean(cwd); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil { // a folder, or in a worktree a file
			return at
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(cwd)
		}
	}
}

// Chain lists the folders from root down to cwd, both included, as paths relative to root ("." is root itself). A cwd that is not below
// root gives root alone.
func Chain(root, cwd string) []string {
	inside, err := filepath.Rel(root, cwd)
	if err != nil || !filepath.IsLocal(inside) {
		return []string{"."}
	}
	var chain []string
	for at := filepath.ToSlash(inside); at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	return append([]string{"."}, chain...)
}

// maxPointerBytes bounds what is read of git's own small files.
const maxPointerBytes = 4096

// Branch is the branch that is checked out in the project at root; "" where there is none: no repository, a detached head, or files that are
// not as git writes them.
func Branch(root string) string {
	git := filepath.Join(root, ".git")
	if info, err := os.Stat(git); err == nil && info.Mode().IsRegular() {
		// A worktree: the file says where its own part of the repository lies.
		pointer, err := Trusted(root).Read(".git", maxPointerBytes)
		folder, found := strings.CutPrefix(strings.TrimSpace(pointer.Content), "gitdir: ")
		if err != nil || !found {
			return ""
		}
		if git = folder; !filepath.IsAbs(git) {
			git = filepath.Join(root, git)
		}
	}
	head, err := Trusted(git).Read("HEAD", maxPointerBytes)
	if err != nil {
		return ""
	}
	branch, found := strings.CutPrefix(strings.TrimSpace(head.Content), "ref: refs/heads/")
	if !found || !isBranch(branch) {
		return ""
	}
	return branch
}

// isBranch is git's own rule for names, as far as it keeps a name to one harmless line.
func isBranch(name string) bool {
	return name != "" && len(name) <= 255 && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '\uFFFD' || strings.ContainsRune(`~^:?*[\<>`, r)
	})
}
