package composition_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"keylane/host/composition"
)

// broken is a tree in which one row cannot start; %s is what is said of it and of the row that needs it.
const broken = "- {id: before, plugin: before}\n- {id: bad, plugin: bad, config: {name: fail}%s}\n- {id: behind, plugin: behind%s}\n- {id: last, plugin: last}\n- {id: off, plugin: off, disabled: true}\n"

// survives boots such a tree and says what is wrong with how the rest lives, and with what is told of it.
func survives(t *testing.T, bad, behind string) (wrong []string) {
	t.Helper()
	j := &journal{}
	plugins := []composition.Plugin{j.part("before", "", ""), j.part("bad", "", "B"), j.part("behind", "B", "C"), j.part("last", "", ""), j.part("off", "", "")}
	want := func(what, got, want string) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("%s\n%s\nwant\n%s", what, got, want))
		}
	}
	in, err := boot(t, fmt.Sprintf(broken, bad, behind), plugins)
	if err != nil {
		return []string{"the boot failed: " + err.Error()}
	}
	report := composition.Report{}
	if reporting, ok := composition.Get(in, composition.Reporting); ok {
		report = reporting.Read()
	}
	var rows strings.Builder
	for _, row := range report.Rows() {
		fmt.Fprintf(&rows, "%s %s %s at %s by %s: %s\n", row.State, row.ID, row.Plugin, row.Blamed, row.Layer, row.Reason)
	}
	want("the report", rows.String(), `failed bad bad at base.yml:2:3 by base.yml: refused
pending behind behind at base.yml:3:3 by base.yml: waits for service "B" of row "bad", which did not start
started before before at base.yml:1:3 by base.yml: 
started last last at base.yml:4:3 by base.yml: 
disabled off off at base.yml:5:3 by base.yml: disabled by base.yml
`)
	want("what a person reads", report.Problems(), "base.yml:2:3: row \"bad\" did not start: refused\nbase.yml:3:3: row \"behind\" waits for service \"B\" of row \"bad\", which did not start\n")
	if _, ok := composition.Get(in, composition.NewService[string]("B")); ok {
		wrong = append(wrong, "what a row that did not start had provided is there")
	}
	if err := in.Close(t.Context()); err != nil {
		wrong = append(wrong, err.Error())
	}
	want("lives", strings.Join(j.lines, " "), "+before +bad -bad -bad.first +last -last -last.first -before -before.first")
	return wrong
}

func TestARowThatFailsTakesOnlyWhatNeedsItAlong(t *testing.T) {
	for _, wrong := range survives(t, "", "") {
		t.Error(wrong)
	}
}

// The same tree with one of the two rows required must not boot, and says which row and why; it shows too that survives sees a boot that fails.
func TestARequiredRowThatCannotStartStopsTheBoot(t *testing.T) {
	for want, required := range map[string][2]string{
		`base.yml:2:3: row "bad": starting: refused`:                                                     {", required: true", ""},
		`base.yml:2:3: row "bad": starting, and the required row "behind" cannot do without it: refused`: {"", ", required: true"},
	} {
		if wrong := strings.Join(survives(t, required[0], required[1]), "\n"); !strings.Contains(wrong, want) {
			t.Errorf("got  %s\nwant %s", wrong, want)
		}
	}
}

// A mutant: a report without the row that failed, or a plugin that heals, is seen.
func TestARowThatStartsAfterAllIsSeen(t *testing.T) {
	if wrong := strings.Join(survives(t, "}\n- {id: bad2, plugin: last", ""), "\n"); !strings.Contains(wrong, "the report") {
		t.Errorf("another report was not seen: %s", wrong)
	}
}

// The report blames the key of a layer that set the config, not the row that was shipped.
func TestAFailureIsBlamedOnTheKeyAndTheLayerThatSaidIt(t *testing.T) {
	tree, err := composition.Load(composition.Layer{Name: "base.yml", Base: true, Data: []byte("- {id: x, plugin: x}\n")},
		composition.Layer{Name: "mine.yml", Data: []byte("- id: x\n  config: {port: 7}\n")})
	if err != nil {
		t.Fatal(err)
	}
	x := composition.Define("x", "", composition.Definition[settings]{Start: func(context.Context, *composition.Scope, settings) error {
		return &composition.FieldError{Path: "port", Err: errors.New("nobody listens")}
	}})
	in, err := composition.Boot(t.Context(), tree, []composition.Plugin{x}, composition.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Report().Rows()[0]; got.Blamed != "mine.yml:2:18" || got.Layer != "mine.yml" || got.Place != "base.yml:1:3" {
		t.Errorf("%+v", got)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// hanging closes a tree of three rows whose middle one never comes back from its disposal; took is how long that was, by its own clock.
func hanging(t *testing.T, limit time.Duration) (text string, lines []string, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		never := make(chan struct{})
		hangs := composition.Define("hangs", "", composition.Definition[struct{}]{Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			s.OnDispose("first", func(context.Context) error { j.add("-hangs.first"); return nil })
			s.OnDispose("socket", func(context.Context) error { <-never; return nil })
			s.OnDispose("obedient", func(ctx context.Context) error { return nil })
			return nil
		}})
		tree, err := composition.Load(composition.Layer{Name: "base.yml", Base: true, Data: []byte("- {id: a, plugin: a}\n- {id: h, plugin: hangs}\n- {id: z, plugin: z}\n")})
		if err != nil {
			t.Fatal(err)
		}
		in, err := composition.Boot(t.Context(), tree, []composition.Plugin{j.part("a", "", ""), hangs, j.part("z", "", "")}, composition.Options{DisposalLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := in.Close(t.Context()); err != nil {
			text = err.Error()
		}
		took, lines = time.Since(begun), j.lines
		close(never)
	})
	return text, lines, took
}

func TestARowThatHangsOnDisposalIsNamedAndTheRestStillEnds(t *testing.T) {
	text, lines, took := hanging(t, 5*time.Second)
	if want := `composition: closing: row "h": disposing socket: it hangs, and is left behind: disposal has 5s`; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if got, want := strings.Join(lines, " "), "+a +z -z -z.first -hangs.first -a -a.first"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if took != 6*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A mutant: a limit that is none is seen by how long it takes.
func TestALimitThatIsNotKeptIsSeen(t *testing.T) {
	if _, _, took := hanging(t, 24*time.Hour); took < 24*time.Hour {
		t.Errorf("a day's limit was over after %v", took)
	}
	if text, _, took := hanging(t, 0); took != 11*time.Second || !strings.Contains(text, "disposal has 10s") {
		t.Errorf("without a limit: %v, %s", took, text)
	}
}
