package scaffold

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"keylane/scaffold/chromium"
)

func TestGuestsComeAfterThePagesOwnPlugins(t *testing.T) {
	own := fstest.MapFS{
		"manifest.json":           {Data: []byte(`{"rev":"r","plugins":[{"id":"own","path":"/plugins/own/client.js","rev":"1"}]}`)},
		"plugins/own/client.js":   {Data: []byte("own")},
		"plugins/other/client.js": {Data: []byte("other")},
	}
	page, err := invite(own, []Guest{{"guest", "export function activate() {}"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"manifest.json":           `{"plugins":[{"id":"own","path":"/plugins/own/client.js","rev":"1"},{"id":"guest","path":"/plugins/guest/client.js","rev":"guest"}],"rev":"r"}`,
		"plugins/guest/client.js": "export function activate() {}",
		"plugins/own/client.js":   "own",
	} {
		if got, err := fs.ReadFile(page, name); err != nil || string(got) != want {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
	for says, guests := range map[string][]Guest{`a plugin "other" already`: {{"other", ""}}, `a plugin "twice" already`: {{"twice", ""}, {"twice", ""}}} {
		if _, err := invite(own, guests); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want it to say %s", err, says)
		}
	}
}

func TestAnnouncedErrorsTakeNothingElseAway(t *testing.T) {
	boom := chromium.Event{Data: chromium.PageError{Text: "boom"}}
	bad := chromium.Event{Data: chromium.Console{Level: chromium.Error, Text: "bad thing"}}
	warning := chromium.Event{Data: chromium.Console{Level: chromium.Warning, Text: "bad thing"}}
	violation := chromium.Event{Data: chromium.Violation{Directive: "bad thing"}}
	for name, c := range map[string]struct {
		events        []chromium.Event
		want, missing []string
		rest          int
	}{
		"all come":                  {[]chromium.Event{boom, bad}, []string{"bad", "boom"}, nil, 0},
		"one does not come":         {[]chromium.Event{boom}, []string{"bad", "boom"}, []string{"bad"}, 0},
		"one comes again":           {[]chromium.Event{boom, boom}, []string{"boom"}, nil, 1},
		"one must come twice":       {[]chromium.Event{boom}, []string{"boom", "boom"}, []string{"boom"}, 0},
		"a warning is no error":     {[]chromium.Event{warning}, []string{"bad"}, []string{"bad"}, 1},
		"a breach of policy is not": {[]chromium.Event{violation}, []string{"bad"}, []string{"bad"}, 1},
		"nothing was announced":     {[]chromium.Event{boom, bad}, nil, nil, 2},
	} {
		rest, missing := expected(c.events, c.want)
		if len(rest) != c.rest || !slices.Equal(missing, c.missing) {
			t.Errorf("%s: %d are left, missing %q", name, len(rest), missing)
		}
	}
}
