package session

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine is the number of the calling goroutine. The log needs it to tell an observer that appends from inside its own notification (a
// mistake, answered by ErrReentrant) from another goroutine that appends at the same time (which simply waits): both find the log busy.
// The runtime prints the number in every stack trace and offers no other way to get it.
func goroutine() uint64 {
	var buffer [32]byte
	line := buffer[:runtime.Stack(buffer[:], false)]
	line = bytes.TrimPrefix(line, []byte("goroutine "))
	number, _, _ := bytes.Cut(line, []byte(" "))
	id, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil {
		return 0
	}
	return id
}
