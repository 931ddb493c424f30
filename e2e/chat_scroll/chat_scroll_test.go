// Package chat_scroll_test holds the page to its contract about who moves a long conversation: at the bottom it follows everything, away from
// it nothing moves but by the reader, and where a reader was is where they find it again.
//
// Each case is a sentence with a mutant, see cases. What is measured is where a named row stands below the top of what scrolls (±2 px), or how
// far the view is above the true bottom (±1 px): never how many elements there are, nor a scrollTop, so that the contract says nothing about
// how rows are made. The history is 88 generated turns; what is said live is said by the test, piece by piece.
package chat_scroll_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"keylane/host/clock"
	"keylane/host/persistence/jsonl"
	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/seed"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

const (
	long  = "session-long"
	other = "session-other"
)

var written = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// put stores the long history and a shorter one to switch to.
func put(folders scaffold.Folders) (err error) {
	ctx := context.Background()
	store, err := jsonl.New(jsonl.Config{Root: folders.Sessions, PackChunks: true}, clock.System())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	for _, h := range []seed.History{
		{SessionID: long, Turns: 88, LastActivity: written},
		{SessionID: other, Turns: 32, LastActivity: written.Add(-time.Hour)},
	} {
		h.Cwd, h.Rich = folders.Workspace, true
		if _, err := seed.Generate(ctx, store, h); err != nil {
			return err
		}
	}
	return nil
}

// A contract is one case.
type contract struct {
	name  string
	drive func(*scaffold.Stage, *scaffold.Voice)
	// proxied cases hold requests back.
	proxied bool
	mutants []mutant
}

// A mutant breaks the page in one place; the case says so in these words.
type mutant struct {
	name  string
	edits []scaffold.Edit
	says  string
}

// in edits the bundle of the conversation.
func in(find, put string) scaffold.Edit {
	return scaffold.Edit{File: "plugins/conversation/client.js", Find: find, Put: put}
}

// What several mutants do.
var (
	// neverFollows takes both ways in which a pinned view follows: what is laid out, and each change before that.
	neverFollows = []scaffold.Edit{
		in(`(:[\w$]+\.value\?[\w$]+\(!1\):)[\w$]+\([\w$]+\.scrollHeight\)`, `${1}void 0`),
		in(`![\w$]+\.value&&![\w$]+\.current\.holding&&[\w$]+\(\)&&[\w$]+\([\w$]+\.scrollHeight\)`, `void 0`),
	}
	// alwaysFollows goes to the bottom with each new layout, whoever is away.
	alwaysFollows = in(`:[\w$]+\.value\?([\w$]+\(!1\):)`, `:!1?$1`)
	// neverKeeps lets a reader who is away move with what is above them; that late layout comes above a reader is the second of its edits.
	neverKeeps = []scaffold.Edit{
		in(`([\w$]+)\.scrollTop\+([\w$]+)-([\w$]+)\.current\.lead`, `$1.scrollTop`),
		in(`:([\w$]+)\.value\?[\w$]+\(!1\):`, `:$1.value?void 0:`),
	}
)

func (c contract) scenario() scaffold.Scenario {
	s := scaffold.Scenario{
		Name:    "chat_scroll",
		Prepare: put,
		Proxied: c.proxied,
		Page:    chromium.ContextOptions{Width: 1680, Height: 900},
	}
	voice := s.Voiced()
	s.Drive = func(stage *scaffold.Stage) {
		stage.Open("/s/" + long)
		rest(stage)
		c.drive(stage, voice)
	}
	return s
}

func cases() []contract {
	all := []contract{follows, stays, composerGrows, lateLayout, sends, chains, prepends, prependsLive, liveTool, disclosure, overTabs, reflow, overSessions, immediate, expanded}
	for _, d := range devices {
		all = append(all, owned(d))
	}
	return all
}

func TestTheScrollContract(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) { scaffold.Run(t, c.scenario()) })
	}
}

func TestAPageThatBreaksTheContractWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	for _, c := range cases() {
		for _, m := range c.mutants {
			t.Run(c.name+"/"+m.name, func(t *testing.T) {
				broken := c.scenario()
				broken.Edits = m.edits
				failures := scaffold.TrialWithin(t, limit, func(t scaffold.T) { scaffold.Run(t, broken) })
				scaffold.WantSeen(t, failures, m.says)
			})
		}
	}
}

// limit is how long a mutant may wait for what never comes.
const limit = 30 * time.Second
