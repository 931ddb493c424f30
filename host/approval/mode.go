package approval

import (
	"fmt"
	"slices"
)

// Mode is what a session may do without asking; a value of approval/policy and of the wire.
type Mode string

// The modes.
const (
	Ask      Mode = "ask"       // whatever runs or changes something waits for the person
	ReadOnly Mode = "read-only" // whatever runs or changes something is refused
	Full     Mode = "full"      // everything runs
)

// Modes in the order in which they allow more.
func Modes() []Mode { return []Mode{ReadOnly, Ask, Full} }

// ParseMode reads a mode; anything else is an error that names the three.
func ParseMode(text string) (Mode, error) {
	if m := Mode(text); slices.Contains(Modes(), m) {
		return m, nil
	}
	return "", fmt.Errorf("approval: %q is no mode; there are %q, %q and %q", text, Ask, ReadOnly, Full)
}

// Explain says what the mode means, in the words that help a model; "" for a value that is no mode.
func (m Mode) Explain() string {
	return map[Mode]string{
		Ask:      "commands and changes of files wait until the person allows them",
		ReadOnly: "commands and changes of files are refused; look, and say what you would do",
		Full:     "commands and changes of files run without asking",
	}[m]
}

// Outcome of a wait; a value of approval/decided and of the wire.
type Outcome string

// The outcomes. Pending is none: the call waits.
const (
	Pending        Outcome = ""
	AllowedOnce    Outcome = "allowed-once"
	AllowedSession Outcome = "allowed-session" // it, and what has the same scope, for as long as the session lives
	Rejected       Outcome = "rejected"
	Cancelled      Outcome = "cancelled" // withdrawn: its turn was stopped
)

// Allows tells whether the call may run.
func (o Outcome) Allows() bool { return o == AllowedOnce || o == AllowedSession }

// ParseDecision reads what a person can decide: every outcome but Cancelled.
func ParseDecision(text string) (Outcome, error) {
	if o := Outcome(text); o.Allows() || o == Rejected {
		return o, nil
	}
	return "", fmt.Errorf("approval: %q is no decision; there are %q, %q and %q", text, AllowedOnce, AllowedSession, Rejected)
}
