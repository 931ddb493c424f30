package api_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"runtime"
	"syscall"
)

// newReader reads an event stream off a raw connection: it skips the head and undoes the
// chunked encoding.
func newReader(c io.Reader) *bufio.Reader {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		panic(err)
	}
	return bufio.NewReader(response.Body)
}

func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

func runtimeYield() { runtime.Gosched() }
