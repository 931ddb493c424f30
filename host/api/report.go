package api

import (
	"context"
	"runtime"

	"keylane/host/composition"
)

// rowReport is what became of one row of the composition.
type rowReport struct {
	ID     string `json:"id" wire:"min=1"`
	Plugin string `json:"plugin" wire:"min=1"`
	// Layer is the name of the last layer that set something of the row: a file, a flag, or a shipped list.
	Layer    string            `json:"layer"`
	Required bool              `json:"required"`
	State    composition.State `json:"state"`
	// Reason says why the row does not run, in English, as the terminal does; absent of one that runs.
	Reason string `json:"reason,omitempty"`
	// Place is where that can be mended: file:line:column, or where the row was written.
	Place string `json:"place"`
}

// hostReport is the boot report, and what a person is asked for who reports a problem.
type hostReport struct {
	Version string `json:"version"`
	// GoVersion is the toolchain that built the host, Platform what it was built for.
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
	// Home is where the host keeps a person's files, Config the file of patches in it, whether or not there is one.
	Home   string `json:"home"`
	Config string `json:"config"`
	// Rows are all rows of the composition: failed, pending, started, disabled.
	Rows []rowReport `json:"rows"`
}

func (a *API) report(context.Context, string, nothing) (hostReport, error) {
	out := hostReport{
		Version: a.o.Version, GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Home: a.o.Home.Dir(), Config: a.o.Home.ConfigFile(), Rows: []rowReport{},
	}
	for _, row := range a.o.Report.Read().Rows() {
		out.Rows = append(out.Rows, rowReport{row.ID, row.Plugin, row.Layer, row.Required, row.State, row.Reason, row.Blamed})
	}
	return out, nil
}
