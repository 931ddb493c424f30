package scaffold

import (
	"fmt"
	"os"
)

// A Mode says what a run of a scenario is for.
type Mode string

// The modes. Replay is what tests and CI do; the other two are started by //tools:record and //tools:refresh.
const (
	Replay  Mode = "replay"  // recorded replies, goldens are compared
	Refresh Mode = "refresh" // recorded replies, goldens are captured and a difference fails nothing
	Record  Mode = "record"  // a provider answers; the session becomes a fixture, and is then replayed
)

// ModeVariable is the environment variable that chooses the mode; unset means Replay.
const ModeVariable = "KEYLANE_MODE"

// ScriptVariable names the script of replies to record against; unset in record mode means the live provider.
const ScriptVariable = "KEYLANE_RECORD_SCRIPT"

func modeFromEnvironment() (Mode, error) {
	switch mode := Mode(os.Getenv(ModeVariable)); mode {
	case "":
		return Replay, nil
	case Replay, Refresh, Record:
		return mode, nil
	default:
		return "", fmt.Errorf("scaffold: %s is %q, want replay, record or refresh", ModeVariable, string(mode))
	}
}

// OnlyReplay ends a test that makes no sense while recording or refreshing, such as a mutant. It says so in the test's output.
func OnlyReplay(t interface{ Skipf(string, ...any) }) {
	if mode, err := modeFromEnvironment(); err == nil && mode != Replay {
		t.Skipf("runs in replay mode only; %s is %s", ModeVariable, mode)
	}
	if *serving {
		t.Skipf("is not what -serve is for")
	}
}
