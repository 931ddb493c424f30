package api_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"keylane/host/api"
	"keylane/host/composition"
)

// bootReport is the report of a small tree with a row of each state.
func bootReport(t testing.TB) *composition.BootReport {
	t.Helper()
	absent := composition.NewService[int]("absent")
	plugins := []composition.Plugin{
		composition.Define("runs", "", composition.Definition[struct{}]{Start: func(context.Context, *composition.Scope, struct{}) error { return nil }}),
		composition.Define("fails", "", composition.Definition[struct{}]{Start: func(context.Context, *composition.Scope, struct{}) error { return errors.New("no <room> & no key") }}),
		composition.Define("waits", "", composition.Definition[struct{}]{Needs: []composition.Key{absent}, Start: func(context.Context, *composition.Scope, struct{}) error { return nil }}),
	}
	tree, err := composition.Load(
		composition.Layer{Name: "base.yml", Base: true, Data: []byte("- {id: one, plugin: runs, required: true}\n- {id: two, plugin: fails}\n- {id: three, plugin: waits}\n- {id: four, plugin: runs}\n")},
		composition.Layer{Name: "mine.yml", Data: []byte("- {id: four, disabled: true}\n")})
	if err != nil {
		t.Fatal(err)
	}
	in, err := composition.Boot(t.Context(), tree, plugins, composition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, _ := composition.Get(in, composition.Reporting)
	if err := in.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAPageIsToldWhatBecameOfEveryRow(t *testing.T) {
	w := newWorld(t, api.Limits{})
	var report struct {
		Version, GoVersion, Platform, Home, Config string
		Rows                                       []struct {
			ID, Plugin, Layer, State, Reason, Place string
			Required                                bool
		}
	}
	w.call("host.report", map[string]any{}, &report)
	var got strings.Builder
	for _, row := range report.Rows {
		fmt.Fprintf(&got, "%s %s %s %v by %s at %s: %s\n", row.State, row.ID, row.Plugin, row.Required, row.Layer, row.Place, row.Reason)
	}
	if want := `failed two fails false by base.yml at base.yml:2:3: no <room> & no key
pending three waits false by base.yml at base.yml:3:3: waits for service "absent", which no row provides
started one runs true by base.yml at base.yml:1:3: 
disabled four runs false by mine.yml at base.yml:4:3: disabled by mine.yml
`; got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	if report.Version != "1" || report.Home != w.root || report.Config != w.root+"/config.yml" || !strings.HasPrefix(report.GoVersion, "go") || !strings.Contains(report.Platform, "/") {
		t.Errorf("%+v", report)
	}
}
