package composition_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"keylane/host/composition"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type settings struct {
	Name   string   `yaml:"name"`
	Port   int      `yaml:"port"`
	Factor float64  `yaml:"factor"`
	On     bool     `yaml:"active"`
	Names  []string `yaml:"names"`
	Deep   *struct {
		Size uint8 `yaml:"size"`
	} `yaml:"deep"`
	ByName map[string]int `yaml:"byName"`
}

func (s settings) Validate() error {
	if s.Port < 0 {
		return &composition.FieldError{Path: "port", Err: errors.New("a port is not negative")}
	}
	if len(s.Names) > 1 && s.Names[1] == "" {
		return &composition.FieldError{Path: "names.1", Err: errors.New("empty")}
	}
	return nil
}

// journal is what a test's plugins write to: who started and ended, in order.
type journal struct{ lines []string }

func (j *journal) add(line string) { j.lines = append(j.lines, line) }

// part makes a plugin that needs and provides text services and notes its life.
func (j *journal) part(name string, needs, provides string) composition.Plugin {
	service := composition.NewService[string]
	var n, p []composition.Key
	for _, s := range strings.Fields(needs) {
		n = append(n, service(s))
	}
	for _, s := range strings.Fields(provides) {
		p = append(p, service(s))
	}
	return composition.Define(name, "a part", composition.Definition[settings]{
		Needs: n, Provides: p,
		Defaults: func() settings { return settings{Name: "default", Port: 1} },
		Start: func(_ context.Context, s *composition.Scope, c settings) error {
			for _, key := range n {
				if got := composition.Need(s, key.(composition.Service[string])); got != key.Name()+"!" {
					return errors.New("wrong service " + got)
				}
			}
			for _, key := range p {
				composition.Provide(s, key.(composition.Service[string]), key.Name()+"!")
			}
			j.add("+" + s.Row().ID)
			s.OnDispose("first", func(context.Context) error { j.add("-" + s.Row().ID + ".first"); return nil })
			s.OnDispose("last", func(context.Context) error { j.add("-" + s.Row().ID); return nil })
			switch c.Name {
			case "fail":
				return errors.New("refused")
			case "panic":
				panic("ouch")
			}
			return nil
		},
	})
}

func boot(t *testing.T, rows string, plugins []composition.Plugin, supplied ...composition.Supplied) (*composition.Instance, error) {
	t.Helper()
	tree, err := composition.Load(composition.Layer{Name: "base.yml", Data: []byte(rows), Base: true})
	if err != nil {
		t.Fatal(err)
	}
	return composition.Boot(t.Context(), tree, plugins, composition.Options{Supplied: supplied})
}

func TestRowsStartWhenTheirServicesAreThereAndInTreeOrderOtherwise(t *testing.T) {
	j := &journal{}
	in, err := boot(t, "- {id: d, plugin: d}\n- {id: c, plugin: c}\n- {id: b, plugin: b}\n- {id: a, plugin: a}\n- {id: e, plugin: e}\n",
		[]composition.Plugin{j.part("a", "", "A"), j.part("b", "A", "B"), j.part("c", "", ""), j.part("d", "B A outside", ""), j.part("e", "", "")},
		composition.Supply(composition.NewService[string]("outside"), "outside!"))
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Fatal("second Close:", err)
	}
	want := strings.Fields("+c +a +b +d +e -e -e.first -d -d.first -b -b.first -a -a.first -c -c.first")
	if diff := cmp.Diff(want, j.lines); diff != "" {
		t.Error(diff)
	}
	if got, ok := composition.Get(in, composition.NewService[string]("B")); !ok || got != "B!" {
		t.Errorf("service B: %q %v", got, ok)
	}
	if _, ok := composition.Get(in, composition.NewService[int]("B")); ok {
		t.Error("service B is an int too")
	}
}

func TestARowThatWaitsForeverIsReportedAndDoesNotStopTheRest(t *testing.T) {
	j := &journal{}
	plugins := []composition.Plugin{j.part("off", "", "O"), j.part("wait", "N O", "W"), j.part("behind", "W", ""), j.part("free", "", "")}
	rows := "- {id: off, plugin: off, disabled: true}\n- {id: wait, plugin: wait}\n- {id: behind, plugin: behind}\n- {id: free, plugin: free}\n"
	in, err := boot(t, rows, plugins)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(t.Context()) }()
	want := `base.yml:2:3: row "wait" waits for service "N", which no row provides and service "O", whose row "off" is disabled (base.yml)
base.yml:3:3: row "behind" waits for service "W" of row "wait", which waits itself
base.yml:1:3: row "off" is disabled
`
	if diff := cmp.Diff(want, in.Report().String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"+free"}, j.lines); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBootIsRefusedBeforeAnythingStarts(t *testing.T) {
	for name, c := range map[string]struct{ rows, want string }{
		"unknown plugin":     {"- {id: x, plugin: nobody}\n", `base.yml:1:19: row "x": no plugin is called "nobody"`},
		"two providers":      {"- {id: x, plugin: a}\n- {id: y, plugin: a}\n", `base.yml:2:3: row "y": service "A" is already provided by row "x" at base.yml:1:3`},
		"supplied already":   {"- {id: x, plugin: outside}\n", `base.yml:1:3: row "x": service "outside" is already supplied by the program`},
		"required waits":     {"- {id: x, plugin: b, required: true}\n", `base.yml:1:3: row "x": required, but it waits for service "A", which no row provides`},
		"a circle":           {"- {id: x, plugin: ring}\n- {id: y, plugin: ring2}\n", `base.yml:1:3: row "x": waits in a circle: it needs service "R2" of row "y"`},
		"unknown config key": {"- id: x\n  plugin: a\n  config:\n    nme: x\n", `base.yml:4:5: row "x": config: unknown key "nme"; known: name, port, factor, active, names, deep, byName`},
		"also when disabled": {"- id: x\n  plugin: a\n  disabled: true\n  config:\n    nme: x\n", `base.yml:5:5: row "x": config: unknown key "nme"; known: name, port, factor, active, names, deep, byName`},
		"text for a number":  {"- id: x\n  plugin: a\n  config: {port: eighty}\n", `base.yml:3:18: row "x": config.port: want a whole number, found the text "eighty"`},
		"number for a text":  {"- id: x\n  plugin: a\n  config: {name: 7}\n", `base.yml:3:18: row "x": config.name: want a text, found the number 7`},
		"fraction":           {"- id: x\n  plugin: a\n  config: {port: 1.5}\n", `base.yml:3:18: row "x": config.port: want a whole number, found the number 1.5`},
		"too large":          {"- id: x\n  plugin: a\n  config: {deep: {size: 300}}\n", `base.yml:3:25: row "x": config.deep.size: want a whole number that fits uint8, found the number 300`},
		"truth value":        {"- id: x\n  plugin: a\n  config: {active: 'no'}\n", `base.yml:3:20: row "x": config.active: want true or false, found the text "no"`},
		"list item":          {"- id: x\n  plugin: a\n  config: {names: [a, 2]}\n", `base.yml:3:23: row "x": config.names.1: want a text, found the number 2`},
		"list":               {"- id: x\n  plugin: a\n  config: {names: a}\n", `base.yml:3:19: row "x": config.names: want a list, found the text "a"`},
		"null":               {"- id: x\n  plugin: a\n  config: {name: }\n", `base.yml:3:18: row "x": config.name: nothing is no value; leave the key out to get its default`},
		"key twice":          {"- id: x\n  plugin: a\n  config: {name: a, name: b}\n", `base.yml:3:21: row "x": config: the key "name" stands here a second time`},
		"map key twice":      {"- id: x\n  plugin: a\n  config: {byName: {a: 1, a: 2}}\n", `base.yml:3:27: row "x": config.byName: the key "a" stands here a second time`},
		"its own objection":  {"- id: x\n  plugin: a\n  config: {port: -1}\n", `base.yml:3:18: row "x": config: port: a port is not negative`},
		"objection deeper":   {"- id: x\n  plugin: a\n  config: {names: [a, '']}\n", `base.yml:3:23: row "x": config: names.1: empty`},
	} {
		t.Run(name, func(t *testing.T) {
			j := &journal{}
			plugins := []composition.Plugin{j.part("a", "", "A"), j.part("b", "A", ""), j.part("outside", "", "outside"), j.part("ring", "R2", "R1"), j.part("ring2", "R1", "R2"), j.part("free", "", "")}
			_, err := boot(t, c.rows+"- {id: free, plugin: free}\n", plugins, composition.Supply(composition.NewService[string]("outside"), "outside!"))
			if err == nil {
				t.Fatal("boots")
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			if want := "composition: booting: " + c.want; first != want {
				t.Errorf("got  %s\nwant %s", first, want)
			}
			if len(j.lines) > 0 {
				t.Errorf("started %v", j.lines)
			}
		})
	}
}

func TestAFailedBootDisposesWhatRan(t *testing.T) {
	for name, want := range map[string]string{"fail": `base.yml:2:3: row "y": starting: refused`, "panic": `base.yml:2:3: row "y": starting: panic: ouch`} {
		j := &journal{}
		_, err := boot(t, "- {id: x, plugin: a}\n- {id: y, plugin: b, required: true, config: {name: "+name+"}}\n- {id: z, plugin: c}\n",
			[]composition.Plugin{j.part("a", "", "A"), j.part("b", "A", ""), j.part("c", "", "")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if diff := cmp.Diff(strings.Fields("+x +y -y -y.first -x -x.first"), j.lines); diff != "" {
			t.Error(diff)
		}
	}
}

func TestACancelledBootStopsAndDisposes(t *testing.T) {
	j := &journal{}
	tree, err := composition.Load(composition.Layer{Name: "base.yml", Data: []byte("- {id: x, plugin: x}\n- {id: y, plugin: y}\n"), Base: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stop := composition.Define("x", "", composition.Definition[struct{}]{Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
		s.OnDispose("x", func(ctx context.Context) error { j.add("-x"); return ctx.Err() })
		cancel()
		return nil
	}})
	_, err = composition.Boot(ctx, tree, []composition.Plugin{stop, j.part("y", "", "")}, composition.Options{})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "closing") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"-x"}, j.lines); diff != "" {
		t.Error(diff)
	}
}

func TestDisposalAttemptsEverythingAndJoinsWhatFailed(t *testing.T) {
	j := &journal{}
	bad := composition.Define("bad", "", composition.Definition[struct{}]{Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
		s.OnDispose("quiet", func(context.Context) error { j.add("quiet"); return nil })
		s.OnDispose("loud", func(context.Context) error { panic("boom") })
		s.OnDispose("sad", func(context.Context) error { return errors.New("sorry") })
		return nil
	}})
	in, err := boot(t, "- {id: a, plugin: a}\n- {id: b, plugin: bad}\n", []composition.Plugin{j.part("a", "", ""), bad})
	if err != nil {
		t.Fatal(err)
	}
	err = in.Close(t.Context())
	want := "composition: closing: row \"b\": disposing sad: sorry\nrow \"b\": disposing loud: panic: boom"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if diff := cmp.Diff(strings.Fields("+a quiet -a -a.first"), j.lines); diff != "" {
		t.Error(diff)
	}
}

func TestAPluginThatBreaksItsDeclarationFailsTheBoot(t *testing.T) {
	a, b := composition.NewService[string]("A"), composition.NewService[string]("B")
	for name, c := range map[string]struct {
		start func(s *composition.Scope)
		want  string
	}{
		"provides undeclared": {func(s *composition.Scope) { composition.Provide(s, a, ""); composition.Provide(s, b, "") }, `plugin "p" provides service "B" without declaring it`},
		"provides twice":      {func(s *composition.Scope) { composition.Provide(s, a, ""); composition.Provide(s, a, "") }, `plugin "p" provides service "A" twice`},
		"provides nothing":    {func(*composition.Scope) {}, `plugin "p" did not provide service "A"`},
		"uses undeclared":     {func(s *composition.Scope) { composition.Provide(s, a, composition.Need(s, b)) }, `plugin "p" uses service "B" without declaring it`},
		"uses another type": {func(s *composition.Scope) {
			composition.Provide(s, a, "")
			composition.Need(s, composition.NewService[int]("C"))
		}, `service "C" is a string, plugin "p" wants a int`},
	} {
		t.Run(name, func(t *testing.T) {
			p := composition.Define("p", "", composition.Definition[struct{}]{
				Needs:    []composition.Key{composition.NewService[int]("C")},
				Provides: []composition.Key{a},
				Start:    func(_ context.Context, s *composition.Scope, _ struct{}) error { c.start(s); return nil },
			})
			_, err := boot(t, "- {id: p, plugin: p, required: true}\n", []composition.Plugin{p}, composition.Supply(composition.NewService[string]("C"), "c"))
			if err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestDefaultsLieUnderTheRowsOwnKeys(t *testing.T) {
	j := &journal{}
	tree, err := composition.Load(composition.Layer{Name: "base.yml", Base: true,
		Data: []byte("- {id: x, plugin: a, config: {port: 9, names: [n], deep: {size: 3}, byName: {k: 1}, factor: 2, active: true}}\n- {id: y, plugin: a}\n")})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := tree.Dump(&b, j.part("a", "", "")); err != nil {
		t.Fatal(err)
	}
	if _, err := boot(t, b.String(), []composition.Plugin{j.part("a", "", "")}); err != nil {
		t.Errorf("the dump does not boot: %v", err)
	}
	for _, want := range []string{"name: default\n    port: 9\n    factor: 2\n    active: true", "name: default\n    port: 1\n    factor: 0\n    active: false", "size: 3", "k: 1"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestAPartOfATreeStartsOnlyWhatAServiceNeeds(t *testing.T) {
	j := &journal{}
	plugins := []composition.Plugin{j.part("one", "", "a"), j.part("two", "a", "b"), j.part("three", "b", "c"), j.part("other", "a", "d")}
	rows := "- {id: three, plugin: three}\n- {id: other, plugin: other, config: {nonsense: 1}}\n- {id: two, plugin: two}\n- {id: lost, plugin: nobody}\n- {id: one, plugin: one%s}\n"
	for off, want := range map[string]string{"": "+one +two -two -two.first -one -one.first", ", disabled: true": ""} {
		tree, err := composition.Load(composition.Layer{Name: "base", Base: true, Data: []byte(strings.Replace(rows, "%s", off, 1))})
		if err != nil {
			t.Fatal(err)
		}
		j.lines = nil
		in, err := composition.Boot(t.Context(), tree.Part(plugins, composition.NewService[string]("b")), plugins, composition.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if off != "" && !strings.Contains(in.Report().String(), `row "one" is disabled`) {
			t.Errorf("the report does not say why the service is not there:\n%s", in.Report())
		}
		if err := in.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := strings.Join(j.lines, " "); got != want {
			t.Errorf("%q: got %s", off, got)
		}
		if _, err := composition.Boot(t.Context(), tree, plugins, composition.Options{}); err == nil {
			t.Error("the whole tree boots, so the part did not leave anything out")
		}
	}
}
