// Package await waits for what a test expects, on events and never on a clock.
//
// # A tutorial
//
// An [Expectation] is a value: a sentence and a check of a state. Its [Verdict] is
// [Met], [Unmet] (keep waiting) or [Unmeetable] (stop now, it can't become true any
// more, and here is why):
//
//	settled := await.That("the turn has ended", func(s State) (bool, string) {
//		return s.Busy == "", fmt.Sprintf("data-busy is %q", s.Busy)
//	})
//	alive := await.Expectation[State]{
//		Description: "no page error",
//		Check: func(s State) (await.Verdict, string) {
//			if len(s.Errors) > 0 {
//				return await.Unmeetable, s.Errors[0]
//			}
//			return await.Met, ""
//		},
//	}
//
// An [Awaiter] knows how to take the state and what tells it that the state may have changed. It evaluates once at the
// start and then once per notification (notifications that come while it evaluates are one):
//
//	a := await.New(takeState, page, hostLog)
//	err := a.Await(ctx, await.AllOf(settled, alive))
//
// All leaves see the same state. Expectations combine with [AllOf], [AnyOf], [Not] and [OnceMet]; [Copy] hands the
// state of the very moment of success to the assertions that follow, so that they can't race.
//
// # Deadlines
//
// [Context] gives a test a context that ends at 90 % of the time the whole test binary has, so that there is time left to
// say what was awaited and, for each leaf, what was seen last. That is the only clock here; it never decides that something is true.
//
// # What not to do
//
// Don't await what is already implied by the next expectation. Don't expect something transient ("the spinner shows"):
// between two events it may come and go. Expect what the record says happened. Don't wait for a
// time to pass so that "nothing more comes": expect the event that ends the matter, then look.
package await
