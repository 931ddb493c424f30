package api

import (
	"context"
	"errors"

	"keylane/host/directory"
)

type directoryPayload struct {
	// Path is absolute, or begins with "~"; empty means the person's home folder.
	Path string `json:"path,omitempty" wire:"max=4096"`
}

// DirectoryEntry is a folder in a list.
type DirectoryEntry struct {
	Name string `json:"name" wire:"min=1"`
	// Path is absolute.
	Path   string `json:"path" wire:"min=1"`
	Hidden bool   `json:"hidden"`
}

// DirectoryCrumb is a folder on the way from the root to the one that is listed.
type DirectoryCrumb struct {
	Name string `json:"name" wire:"min=1"`
	Path string `json:"path" wire:"min=1"`
}

// DirectoryListing is what host.listDirectory answers.
type DirectoryListing struct {
	// Path is the folder's canonical path.
	Path string `json:"path" wire:"min=1"`
	// Home is the person's home folder.
	Home string `json:"home" wire:"min=1"`
	// Crumbs lead from the root to Path, both included.
	Crumbs []DirectoryCrumb `json:"crumbs"`
	// Entries are the folders in it, by name, hidden ones last.
	Entries []DirectoryEntry `json:"entries"`
	// Truncated is whether there are more than were listed.
	Truncated bool `json:"truncated"`
}

// listDirectory lists folders, never files. It is for pages under a loopback name only, see privilegedMethods.
func (a *API) listDirectory(ctx context.Context, _ string, p directoryPayload) (DirectoryListing, error) {
	found, err := directory.List(ctx, p.Path)
	if err != nil {
		return DirectoryListing{}, directoryError(err, map[string]any{"path": p.Path})
	}
	listing := DirectoryListing{Path: found.Path, Home: directory.Home(), Crumbs: []DirectoryCrumb{}, Entries: []DirectoryEntry{}, Truncated: found.Truncated}
	for _, each := range found.Crumbs {
		listing.Crumbs = append(listing.Crumbs, DirectoryCrumb{each.Name, each.Path})
	}
	for _, each := range found.Folders {
		listing.Entries = append(listing.Entries, DirectoryEntry(each))
	}
	return listing, nil
}

type createDirectoryPayload struct {
	// Parent is an absolute path, or begins with "~".
	Parent string `json:"parent" wire:"min=1,max=4096"`
	Name   string `json:"name" wire:"min=1,max=255"`
}

func (p createDirectoryPayload) issues() []string {
	if err := directory.CheckName(p.Name); err != nil {
		return []string{"payload.name: want a folder's name, got one that is none: " + err.Error()}
	}
	return nil
}

type createdDirectory struct {
	// Path is the new folder's canonical path.
	Path string `json:"path" wire:"min=1"`
}

// createDirectory makes a folder in another one; like listDirectory it is for pages under a loopback name only.
func (a *API) createDirectory(_ context.Context, _ string, p createDirectoryPayload) (createdDirectory, error) {
	path, err := directory.Create(p.Parent, p.Name)
	if err != nil {
		return createdDirectory{}, directoryError(err, map[string]any{"parent": p.Parent, "name": p.Name})
	}
	return createdDirectory{path}, nil
}

// withReason puts the word for why a folder cannot be used into details, when there is one.
func withReason(err error, details map[string]any) map[string]any {
	if reason := directory.Reason(err); reason != "" {
		details["reason"] = reason
	}
	return details
}

func directoryError(err error, details map[string]any) error {
	for known, code := range map[error]Code{
		directory.ErrUnreadable: DirectoryUnreadable, directory.ErrExists: DirectoryExists, directory.ErrCreate: DirectoryCreateFailed,
	} {
		if errors.Is(err, known) {
			return fail(code, err.Error(), withReason(err, details))
		}
	}
	return err
}
