package session

import "runtime"

// dispatchName is how the runtime calls Log.dispatch.
const dispatchName = "keylane/host/session.(*Log).dispatch"

// observing reports whether the calling goroutine is in the middle of notifying an observer, of whichever log. A log that is busy needs it
// to tell an observer that appends (a mistake, answered by ErrReentrant) from another goroutine that appends at the same time (which simply
// waits). It looks up its own stack, which costs microseconds, so it is asked only when there is something to wait for.
func observing() bool {
	callers := make([]uintptr, 128)
	n := runtime.Callers(2, callers)
	for n == len(callers) {
		callers = make([]uintptr, 2*n)
		n = runtime.Callers(2, callers)
	}
	frames := runtime.CallersFrames(callers[:n])
	for more := n > 0; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); frame.Function == dispatchName {
			return true
		}
	}
	return false
}
