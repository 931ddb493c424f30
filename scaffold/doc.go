// Package scaffold runs a scenario: it boots the shipped composition with the lane's patches, lets a recorded session answer the
// model's calls, opens the real page in the pinned Chromium, and afterwards holds the page to its golden, the host to its log, and
// everything to the tripwires.
//
// A scenario is one Go test package under e2e/:
//
//	func TestMain(m *testing.M) { scaffold.Main(m) }
//
//	func TestRoundTrip(t *testing.T) {
//		scaffold.Run(t, scaffold.Scenario{
//			Name:    "round_trip",
//			Fixture: true,
//			Drive: func(s *scaffold.Stage) { // in every mode
//				s.Open("/")
//				s.Send("Say hello")
//				s.Settle()
//			},
//			Check: func(s *scaffold.Stage) { // not while recording
//				s.Golden("settled", chromium.Role("main", ""))
//				s.WantTurns("completed")
//			},
//		})
//	}
//
// # Waiting
//
// Gestures wait for their element, Send for the message's durable event, and Settle for the barrier: the host is idle and flushed at
// seq N, the page has applied N and every host frame, and is not busy. All of it is decided on events; a page error, a stray model
// call or Chromium's end stops the wait at once with its reason. There is no sleep, no retry and no networkidle, and a scenario
// must not look once at something transient: that a reply came in pieces is proved by the log (Events), not by the page.
//
// # Who answers
//
// A fixture: a recorded session, with the override beside it where a log cannot say how a call goes. Only scenarios about the provider's
// adapter have a Provider instead, a scripted server in the vendor's wire format; Stage.Provider tells what it was asked.
//
// # Goldens
//
// Golden pins what a person meets, as the accessibility tree of a region; GoldenText pins what only a machine reads, such as the system
// prompt. A golden proves sameness, not correctness: a scenario asserts on the log as well.
//
// # Tripwires
//
// Run fails on any uncaught error, console error, policy violation, report of loss or repair, request that leaves the loopback,
// stray or left-over model call, and on every process, goroutine and folder that outlives it. They cannot be switched off; a
// mutant tries each with Trial. A scenario about something that breaks says which errors must come (WantErrors), and gets exactly those.
// A scenario about a bad line (Proxied, Faults; see scaffold/fault) says how many Losses it causes: exactly as
// many have to be reported, and each fault has to happen.
//
// # Mutants
//
// A guard is worth something only when the broken thing makes it fail. A scenario's package breaks what it guards and sees red: with Trial
// (TrialWithin where what is awaited never comes), a patch over the composition, other tools for a row (ReplaceTools), another page (Edits)
// or another log (Mutate). A lint holds every scenario to having one.
//
// # Looking at it
//
// With -serve the first scenario of the binary stays open after Drive, until Ctrl-C, and tells its address:
//
//	./bazelw run //e2e/round_trip -- -serve
//
// # Files
//
// Fixtures and goldens are read from fixtures/<name>/ and goldens/<name>/ two folders above the package. Nothing is written there
// by a test: what a run captures goes into its undeclared outputs, and only the commands under tools/ take it over.
package scaffold
