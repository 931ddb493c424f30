package composition_test

import (
	"context"
	"strings"
	"testing"

	"keylane/host/composition"
	"keylane/scaffold"
)

// A mistake in a patch ends the boot, through the same door by which every scenario patches, and says where to mend it.
func TestAPatchThatDoesNotFitFailsTheBootAndSaysWhere(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, fault := range []struct{ name, patch, says string }{
		{"a stale id", "- id: llm-retry\n  disabled: true\n- id: tool-shell\n  disabled: true\n",
			`mine.yml:3:7: row "tool-shell": no row has this id; rows: clock, home,`},
		{"a wrong plugin", "- id: tool-bash\n  plugin: tool-zsh\n  disabled: true\n",
			`mine.yml:2:11: row "tool-bash": the patch expects plugin "tool-zsh"`},
		{"an unknown key of a config", "- id: tool-bash\n  config:\n    timeoutMs: 1000\n    timeout: 1\n",
			`mine.yml:4:5: row "tool-bash": config: unknown key "timeout"; known: timeoutMs`},
		{"a value of another type", "- id: webserver\n  config: {port: high}\n",
			`mine.yml:2:18: row "webserver": config.port: want a whole number, found the text "high"`},
		{"an unknown key of a patch", "- id: tool-bash\n  enabled: false\n",
			`mine.yml:2:3: row "tool-bash": unknown key "enabled"`},
		{"an inserted row of no plugin", "- insert:\n  - id: mine\n    plugin: nobody\n",
			`mine.yml:3:13: row "mine": no plugin is called "nobody"`},
		{"a required row without its service", "- id: session-title\n  disabled: true\n",
			`row "agent": required, but it waits for service "session-title", whose row "session-title" is disabled (mine.yml)`},
	} {
		t.Run(fault.name, func(t *testing.T) {
			broken := shipped()
			broken.Patches = scaffold.Patch("mine.yml", fault.patch)
			broken.Drive = func(s *scaffold.Stage) { s.Errorf("the host booted") }
			broken.Check = nil
			failures := strings.Join(scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, broken) }), "\n")
			if strings.Contains(failures, "the host booted") || !strings.Contains(failures, fault.says) {
				t.Errorf("the boot says\n%s\nwant it to fail and to say\n%s", failures, fault.says)
			}
		})
	}
}

// weather is a service that the shipped composition has not.
var weather = composition.NewService[string]("weather")

// withWeather is a host with a row that needs the weather, and perhaps one that has it.
func withWeather(patch string) scaffold.Scenario {
	s := shipped()
	s.Plugins = []composition.Plugin{
		composition.Define("forecast", "needs the weather", composition.Definition[struct{}]{
			Needs: []composition.Key{weather},
			Start: func(context.Context, *composition.Scope, struct{}) error { return nil },
		}),
		composition.Define("station", "has the weather", composition.Definition[struct{}]{
			Provides: []composition.Key{weather},
			Start: func(_ context.Context, scope *composition.Scope, _ struct{}) error {
				composition.Provide(scope, weather, "fair")
				return nil
			},
		}),
	}
	s.Patches = scaffold.Patch("mine.yml", patch)
	return s
}

func TestARowThatWaitsIsNamedAndStopsNothing(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, host := range []struct {
		name, patch string
		waits       string // as the boot report says it; "" when nothing waits
	}{
		{"nobody has the service", "- insert:\n  - id: forecast\n    plugin: forecast\n",
			`mine.yml:2:5: row "forecast" waits for service "weather", which no row provides`},
		{"who has it is disabled", "- insert:\n  - {id: forecast, plugin: forecast}\n  - {id: station, plugin: station, disabled: true}\n",
			`mine.yml:2:5: row "forecast" waits for service "weather", whose row "station" is disabled (mine.yml)`},
		{"a later row has it", "- insert:\n  - {id: forecast, plugin: forecast}\n  - {id: station, plugin: station}\n", ""},
	} {
		t.Run(host.name, func(t *testing.T) {
			waiting := withWeather(host.patch)
			waiting.Check = func(s *scaffold.Stage) {
				s.WantTurns("completed") // the row stops nothing
				report, logged := s.Booted().String(), strings.Contains(s.HostLog(), "row is not started")
				switch {
				case host.waits == "" && (logged || len(s.Booted().Pending) > 0):
					s.Errorf("nothing waits, but the boot report says:\n%s", report)
				case host.waits != "" && (!logged || !strings.Contains(s.HostLog(), "row=forecast") || !strings.Contains(report, host.waits)):
					s.Errorf("the boot report does not say\n%s\nit says\n%s\nand the host's log\n%s", host.waits, report, s.HostLog())
				}
			}
			scaffold.Run(t, waiting)
		})
	}
}
