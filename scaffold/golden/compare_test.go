package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/scaffold/aria"
	"keylane/scaffold/golden"
)

const command = "./bazelw run //tools:refresh -- round_trip"

func tree(text string) aria.Tree {
	return aria.Tree{Nodes: []*aria.Node{{Role: "paragraph", Children: []*aria.Node{{Text: text}}}}}
}

func printed(t *testing.T, text string) string {
	s, err := aria.Print(tree(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// directory makes goldens with the given states, each showing its own name.
func directory(t *testing.T, states ...string) *golden.Directory {
	t.Helper()
	root := t.TempDir()
	d := &golden.Directory{Path: filepath.Join(root, "goldens"), Outputs: filepath.Join(root, "outputs"), Command: command}
	if err := os.Mkdir(d.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, state := range states {
		write(t, filepath.Join(d.Path, state+".aria"), printed(t, state))
	}
	return d
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		body, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Name()] = string(body)
	}
	return found
}

func endsWithCommand(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if lines[len(lines)-1] != command {
		t.Errorf("the last line is %q", lines[len(lines)-1])
	}
}

func TestTheSameTreePassesAndWritesNothing(t *testing.T) {
	d := directory(t, "settled")
	if r := d.Compare("settled", tree("settled")); r.Err != nil || r.Outcome != golden.Same {
		t.Fatal(r.Err)
	}
	if err := d.CheckInventory(); err != nil {
		t.Error(err)
	}
	if found := files(t, d.Outputs); len(found) != 0 {
		t.Error(found)
	}
}

func TestADifferentTreeFailsWithADiffAndTheCommandAndLeavesTheNewGolden(t *testing.T) {
	d := directory(t, "settled")
	r := d.Compare("settled", tree("other"))
	endsWithCommand(t, r.Err)
	if r.Outcome != golden.Different || !strings.Contains(r.Err.Error(), "-- paragraph: settled\n+- paragraph: other") {
		t.Error(r.Err)
	}
	if found := files(t, d.Outputs); found["settled.aria"] != printed(t, "other") {
		t.Error(found)
	}
	if found := files(t, d.Path); found["settled.aria"] != printed(t, "settled") {
		t.Error("the golden itself was changed")
	}
}

func TestAMissingGoldenFailsWithTheCaptureAndTheCommand(t *testing.T) {
	d := directory(t)
	r := d.Compare("settled", tree("x"))
	endsWithCommand(t, r.Err)
	if r.Outcome != golden.Missing || !strings.Contains(r.Err.Error(), "settled.aria is missing") || !strings.Contains(r.Err.Error(), "- paragraph: x") {
		t.Error(r.Err)
	}
	if found := files(t, d.Outputs); found["settled.aria"] != printed(t, "x") {
		t.Error(found)
	}
}

func TestAMissingDirectoryMeansThatEveryGoldenIsMissing(t *testing.T) {
	d := directory(t)
	if err := os.Remove(d.Path); err != nil {
		t.Fatal(err)
	}
	if r := d.Compare("settled", tree("x")); r.Outcome != golden.Missing {
		t.Error(r.Err)
	}
	if err := d.CheckInventory(); err != nil {
		t.Error(err)
	}
}

func TestAGoldenThatIsNotInTheFormatSaysWhere(t *testing.T) {
	d := directory(t)
	write(t, filepath.Join(d.Path, "settled.aria"), "# aria 1\n- paragraph: \"x\"\n")
	r := d.Compare("settled", tree("x"))
	endsWithCommand(t, r.Err)
	if r.Outcome != golden.Invalid || !strings.Contains(r.Err.Error(), "2:14: not the canonical spelling") {
		t.Error(r.Err)
	}
}

func TestRefreshWritesEveryCaptureAndFailsForNone(t *testing.T) {
	d := directory(t, "same", "different", "stale")
	d.Refresh = true
	for state, text := range map[string]string{"same": "same", "different": "x", "missing": "y"} {
		if r := d.Compare(state, tree(text)); r.Err != nil {
			t.Error(r.Err)
		}
	}
	if err := d.CheckInventory(); err != nil {
		t.Error(err)
	}
	found := files(t, d.Outputs)
	if len(found) != 3 || found["different.aria"] != printed(t, "x") || found["missing.aria"] != printed(t, "y") {
		t.Error(found)
	}
}

func TestTheSecondCaptureOfAStateMustEqualTheFirstEvenInRefresh(t *testing.T) {
	for _, refresh := range []bool{false, true} {
		d := directory(t, "settled")
		d.Refresh = refresh
		if r := d.Compare("settled", tree("settled")); r.Err != nil {
			t.Fatal(r.Err)
		}
		if r := d.Compare("settled", tree("settled")); r.Err != nil {
			t.Error(r.Err)
		}
		r := d.Compare("settled", tree("after reload"))
		endsWithCommand(t, r.Err)
		if !strings.Contains(r.Err.Error(), "captured before in this run") {
			t.Error(r.Err)
		}
	}
}

func TestAnExtraFileInTheInventoryFails(t *testing.T) {
	for _, extra := range []string{"stale.aria", "stale.txt", "settled.txt", "notes.md", "settled.aria.orig"} {
		t.Run(extra, func(t *testing.T) {
			d := directory(t, "settled")
			write(t, filepath.Join(d.Path, "BUILD.bazel"), "")
			if r := d.Compare("settled", tree("settled")); r.Err != nil {
				t.Fatal(r.Err)
			}
			if err := d.CheckInventory(); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(d.Path, extra), "x")
			err := d.CheckInventory()
			endsWithCommand(t, err)
			if !strings.Contains(err.Error(), extra) {
				t.Error(err)
			}
		})
	}
}

func TestGoldensAreNeverWrittenWhereTheyAreRead(t *testing.T) {
	d := directory(t, "settled")
	for _, outputs := range []string{"", d.Path, d.Path + "/../goldens"} {
		d := &golden.Directory{Path: d.Path, Outputs: outputs, Command: command}
		r := d.Compare("settled", tree("x"))
		endsWithCommand(t, r.Err)
		if !strings.Contains(r.Err.Error(), "never written where they are read") {
			t.Error(r.Err)
		}
	}
	if found := files(t, d.Path); found["settled.aria"] != printed(t, "settled") {
		t.Error("the golden was overwritten")
	}
}

func TestAStateThatIsNoFileNameIsRefused(t *testing.T) {
	d := directory(t)
	for _, state := range []string{"", "../x", "a/b", "a b", ".", "a.b"} {
		if r := d.Compare(state, tree("x")); r.Outcome != golden.Invalid || r.Err == nil {
			t.Errorf("%q: %v", state, r.Err)
		}
	}
}

func TestATextHasTheSameRulesAsATree(t *testing.T) {
	d := directory(t)
	write(t, filepath.Join(d.Path, "header.txt"), "one\ntwo\n")
	for _, same := range []string{"one\ntwo\n", "one\ntwo"} { // a last line without its end is the same text
		if r := d.CompareText("header", same); r.Err != nil || r.Outcome != golden.Same {
			t.Errorf("%q: %v", same, r.Err)
		}
	}
	if err := d.CheckInventory(); err != nil {
		t.Error(err)
	}
	d = &golden.Directory{Path: d.Path, Outputs: d.Outputs, Command: command}
	r := d.CompareText("header", "one\nthree\n")
	endsWithCommand(t, r.Err)
	if r.Outcome != golden.Different || !strings.Contains(r.Err.Error(), "-two\n+three") {
		t.Error(r.Err)
	}
	if found := files(t, d.Outputs); found["header.txt"] != "one\nthree\n" {
		t.Error(found)
	}
	r = d.CompareText("header", "one\ntwo\n")
	endsWithCommand(t, r.Err)
	if !strings.Contains(r.Err.Error(), "captured before in this run") {
		t.Error(r.Err)
	}
	missing := d.CompareText("other", "x")
	endsWithCommand(t, missing.Err)
	if missing.Outcome != golden.Missing || !strings.Contains(missing.Err.Error(), "other.txt is missing") {
		t.Error(missing.Err)
	}
}

func TestATreeAndATextOfOneNameAreTwoGoldens(t *testing.T) {
	d := directory(t, "settled")
	write(t, filepath.Join(d.Path, "settled.txt"), "settled\n")
	if r := d.Compare("settled", tree("settled")); r.Err != nil {
		t.Error(r.Err)
	}
	if err := d.CheckInventory(); err == nil || !strings.Contains(err.Error(), "settled.txt") {
		t.Errorf("a text that nothing captured passes because a tree has its name: %v", err)
	}
	if r := d.CompareText("settled", "settled"); r.Err != nil {
		t.Error(r.Err)
	}
	if err := d.CheckInventory(); err != nil {
		t.Error(err)
	}
}

func TestATextThatNobodyCouldReadIsRefused(t *testing.T) {
	d := directory(t)
	d.Refresh = true
	for _, text := range []string{"", " \n", "a\r\nb\n", "\xff\n"} {
		if r := d.CompareText("header", text); r.Outcome != golden.Invalid || r.Err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if found := files(t, d.Outputs); len(found) != 0 {
		t.Error(found)
	}
}
