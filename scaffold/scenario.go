package scaffold

import (
	"path/filepath"
	"time"

	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/replay"
	"keylane/scaffold/chromium"
	"keylane/scaffold/fault"
)

// A Scenario is what one test drives and pins.
type Scenario struct {
	// Name is the scenario's folder in e2e/, fixtures/ and goldens/.
	Name string
	// Fixture says that a recorded session answers. Without it, and without a Provider, any model call is a stray one, unless a
	// patch enables a row that answers.
	Fixture bool
	// Provider answers instead of a fixture, in scenarios about the provider's adapter.
	Provider *Provider
	// Pace is how the recorded chunks are handed out; the zero value is all at once. It makes a run more real, and nothing may
	// depend on it.
	Pace replay.Pace
	// Clock times the pace; nil is the machine's. A scenario that wants to stop in the middle of an answer has one that waits for it.
	Clock clock.Clock
	// Mutate changes the text of the recorded log before it is replayed. It is for mutants only, and refused outside of a Trial: a
	// scenario replays what is recorded.
	Mutate func(log []byte) []byte
	// Edits change the page that the host serves. They are for mutants only, and refused outside of a Trial.
	Edits []Edit
	// Guests are plugins that the page gets besides its own.
	Guests []Guest
	// WantErrors are the errors that the page must report: texts, each of which is in exactly one error of the console or uncaught error. Any
	// other error trips as ever, and so does one that does not come, or comes again.
	WantErrors []string
	// Proxied puts a proxy between page and host, see scaffold/fault: Stage.Proxy. Scenarios with Faults have one anyway.
	Proxied bool
	// Faults are what the proxy does to the host's event streams. Each of them has to happen.
	Faults []fault.Fault
	// Losses are how many times the scenario makes the page lose its connection or repair a gap: as many reports of it as said here have
	// to come, and no more. Without a proxy nobody causes any, and saying so is refused.
	Losses Losses
	// Patches go over the shipped composition, after the lane's own.
	Patches []composition.Layer
	// Plugins are known to rows besides the built-in ones, for scenarios about rows that the shipped composition has not.
	Plugins []composition.Plugin
	// Seeds are sessions that lie on disk before the host boots.
	Seeds []Seed
	// Page overrides the pinned viewport, language and colour scheme. Its RootAttributes are observed besides those that the lane waits for.
	Page chromium.ContextOptions
	// Prepare runs before the host boots, with the folders it will use.
	Prepare func(Folders) error
	// Drive performs the gestures. It runs in every mode.
	Drive func(*Stage)
	// Check asserts. It does not run against a provider while recording.
	Check func(*Stage)
}

// A Seed is one cold session.
type Seed struct {
	SessionID    string
	Log          []byte // a log, tokens allowed
	LastActivity time.Time
	// Cut says that the log ends inside a turn, as a crash leaves it; the host closes that turn when it opens the session.
	Cut bool
}

// Folders are the scenario's own, all empty at first and removed at the end.
type Folders struct {
	Workspace string // the default folder of sessions
	Home      string // the host's home
	Sessions  string // the root of the session store
}

// repository is the root of the sources as seen from a scenario's package, in a checkout and in the runfiles alike.
const repository = "../.."

func (s Scenario) fixtureFolder() string { return filepath.Join(repository, "fixtures", s.Name) }

func (s Scenario) goldenFolder() string { return filepath.Join(repository, "goldens", s.Name) }
