package seed_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/persistence/jsonl"
	"keylane/host/session"
	"keylane/seed"
)

const fixture = `{"type":"session","id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}/workspace"}
{"type":"turn/start","data":{"turn":1}}
{"type":"user/message","data":{"id":"m","role":"user","content":[{"type":"text","text":"look into {{cwd}}"}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}
{"type":"request/header","data":{"header":{"config":{"provider":"p","model":"m"},"system":"{{system}}"},"reason":"initial"}}
{"type":"note","data":"{{rpcId}} {{color}}"}
{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}
`

var (
	background = context.Background()
	last       = time.UnixMilli(1_700_000_000_000)
)

func newStore(t *testing.T) persistence.Store {
	t.Helper()
	store, err := jsonl.New(jsonl.Config{Root: t.TempDir()}, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestASeededSessionIsColdAndAsOrdered(t *testing.T) {
	store := newStore(t)
	header, err := seed.Session(background, store, []byte(fixture), seed.Options{
		SessionID: "session-1", Cwd: "/srv/ada", LastActivity: last, Values: map[string]string{"color": "blue"}})
	if err != nil {
		t.Fatal(err)
	}
	want := session.Header{ID: "session-1", Cwd: "/srv/ada/workspace", CreatedAt: last.UnixMilli() - 4}
	if header != want {
		t.Errorf("header %+v, want %+v", header, want)
	}
	stored, events, err := store.Load(background, "session-1")
	if err != nil || stored != want || len(events) != 5 {
		t.Fatalf("%+v, %d events, %v", stored, len(events), err)
	}
	for i, e := range events {
		if e.Time != last.UnixMilli()-int64(4-i) {
			t.Errorf("event %d happened at %d", i, e.Time)
		}
	}
	message, _, err := session.MessageOf(events[1])
	if err != nil || message.Text() != "look into /srv/ada" || message.Source.RPCID != "seeded-rpc-1" {
		t.Errorf("message %+v, %v", message, err)
	}
	if got := string(events[3].Data); got != `"seeded-rpc-2 blue"` {
		t.Errorf("note %s", got)
	}
	if !strings.Contains(string(events[2].Data), "{{system}}") {
		t.Errorf("the request header's token was filled: %s", events[2].Data)
	}
	info, err := os.Stat(store.Locate(header))
	if err != nil || !info.ModTime().Equal(last) {
		t.Errorf("the file is of %v, %v", info.ModTime(), err)
	}
}

func TestSeedingIsDeterministic(t *testing.T) {
	var texts []string
	for range 2 {
		store := newStore(t)
		header, err := seed.Session(background, store, []byte(fixture), seed.Options{Cwd: "/srv/ada", Clock: clock.NewManual(last, 7)})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(store.Locate(header))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Error("the same seed gave two different files")
	}
}

func TestTimesOfAnEnvelopedFixtureKeepTheirDistances(t *testing.T) {
	store := newStore(t)
	text := `{"type":"session","version":0,"id":"old","createdAt":50,"cwd":"/old","delegationDepth":2}
{"type":"turn/start","seq":0,"time":100,"data":{"turn":1}}
{"type":"turn/end","seq":1,"time":400,"data":{"turn":1,"reason":{"kind":"completed"}}}`
	header, err := seed.Session(background, store, []byte(text), seed.Options{Cwd: "/new", LastActivity: last})
	if err != nil {
		t.Fatal(err)
	}
	if want := (session.Header{ID: "old", Cwd: "/old", CreatedAt: last.UnixMilli() - 350, DelegationDepth: 2}); header != want {
		t.Errorf("header %+v, want %+v", header, want)
	}
	_, events, err := store.Inspect(background, "old")
	if err != nil || events[0].Time != last.UnixMilli()-300 || events[1].Time != last.UnixMilli() {
		t.Errorf("events %+v, %v", events, err)
	}
}

func TestABadFixtureIsNamedAndNothingIsStored(t *testing.T) {
	lines := strings.SplitAfter(fixture, "\n")
	for name, c := range map[string]struct {
		text    string
		options seed.Options
		want    string
	}{
		"empty":            {" \n", seed.Options{}, "line 1: the fixture is empty"},
		"no header":        {lines[1], seed.Options{}, "line 1: session: header"},
		"header only":      {lines[0], seed.Options{}, "line 1: the fixture has a header and no events"},
		"no turn":          {lines[0] + lines[4], seed.Options{}, "line 2: the log has no turn"},
		"open turn":        {strings.Join(lines[:5], ""), seed.Options{}, "line 5: the log ends with note inside turn 1"},
		"not JSON":         {lines[0] + lines[1] + "{\n", seed.Options{}, "line 3: "},
		"relative cwd":     {fixture, seed.Options{Cwd: "here"}, `cwd "here" is not an absolute path`},
		"relative, unused": {strings.Replace(fixture, `{{cwd}}/workspace`, `/elsewhere`, 1), seed.Options{Cwd: "here"}, `cwd "here" is not an absolute path`},
		"value to escape":  {fixture, seed.Options{Cwd: `/a"b`}, "needs escapes"},
		"newer version":    {strings.Replace(fixture, `"id"`, `"version":3,"id"`, 1), seed.Options{}, "upgrade"},
		"empty session id": {strings.Replace(fixture, `{{sessionId}}`, ``, 1), seed.Options{}, "id is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			if c.options.Cwd == "" {
				c.options.Cwd = "/srv/ada"
			}
			_, err := seed.Session(background, store, []byte(c.text), c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if entries, err := store.List(background); err != nil || len(entries) != 0 {
				t.Errorf("stored: %+v, %v", entries, err)
			}
		})
	}
}

func TestAnOpenLogIsSeededWhenItIsAllowedAndClosedWhenItIsLoaded(t *testing.T) {
	store := newStore(t)
	lines := strings.SplitAfter(fixture, "\n")
	options := seed.Options{SessionID: "s", Cwd: "/srv/ada", AllowOpen: true}
	if _, err := seed.Session(background, store, []byte(strings.Join(lines[:5], "")), options); err != nil {
		t.Fatal(err)
	}
	if _, events, err := store.Load(background, "s"); err != nil || len(events) != 5 || events[4].Type != session.TypeTurnEnd {
		t.Errorf("%d events, %v", len(events), err)
	}
	if _, err := seed.Session(background, store, []byte(fixture), options); err == nil {
		t.Error("a session was seeded over another")
	}
}
