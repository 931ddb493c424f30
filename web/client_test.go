package web

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// The same test holds for both builds: there is a page, or an error that says
// how to get one.
func TestClientIsThePageOrSaysHowToGetOne(t *testing.T) {
	files, err := Client()
	if err != nil {
		if !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "./bazelw") {
			t.Fatalf("the error does not name the way out: %v", err)
		}
		return
	}
	for _, name := range []string{"index.html", "manifest.json", "assets/shell.js", "shared/keylane.js"} {
		if _, err := fs.Stat(files, name); err != nil {
			t.Errorf("the page lacks %s: %v", name, err)
		}
	}
}
