package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"runtime"

	"keylane/host"
)

type versionCommand struct{}

// Help is what kong shows below the flags.
func (versionCommand) Help() string {
	return `The first line is "keylane VERSION" and stays so. Then come the revision of the page in this binary, and the Go toolchain and the platform it was built with: what to tell when something does not work.

` + exitCodes
}

func (versionCommand) Run(c console) error {
	_, err := fmt.Fprintf(c.out, "keylane %s\npage %s\nbuilt with %s for %s/%s\n", host.Version, pageRev(c.client), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// pageRev is the revision of the page this binary was built with, "none" when there is no page in it.
func pageRev(client func() (fs.FS, error)) string {
	files, err := client()
	if err != nil {
		return "none"
	}
	text, err := fs.ReadFile(files, "manifest.json")
	var manifest struct {
		Rev string `json:"rev"`
	}
	if err != nil || json.Unmarshal(text, &manifest) != nil || manifest.Rev == "" {
		return "unreadable"
	}
	return manifest.Rev
}
