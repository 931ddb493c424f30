package chromium_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"keylane/scaffold/chromium"
)

func TestWithoutItsVariableTheTestBinaryFailsAndSaysWhatToRun(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^$")
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, chromium.Variable+"=") {
			command.Env = append(command.Env, variable)
		}
	}
	output, err := command.CombinedOutput()
	if err == nil {
		t.Errorf("it passed: %s", output)
	}
	for _, want := range []string{"./bazelw test //scaffold/chromium:chromium_test", "KEYLANE_CHROMIUM"} {
		if !strings.Contains(string(output), want) {
			t.Errorf("%q does not name %s", output, want)
		}
	}
}

func TestARelativePathIsFoundInTheRunfiles(t *testing.T) {
	t.Setenv("KEYLANE_CHROMIUM", "repo/headless_shell")
	t.Setenv("TEST_SRCDIR", "/runfiles")
	if path, err := chromium.Executable("//a"); path != "/runfiles/repo/headless_shell" || err != nil {
		t.Error(path, err)
	}
	t.Setenv("TEST_SRCDIR", "")
	if _, err := chromium.Executable("//a"); err == nil || !strings.Contains(err.Error(), "`./bazelw test //a`") {
		t.Error(err)
	}
}
