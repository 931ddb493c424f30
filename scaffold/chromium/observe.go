package chromium

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"keylane/scaffold/await"
)

//go:embed observer.js
var observerSource string

const (
	worldName   = "scaffold observer"
	bindingName = "scaffoldObserved"
)

func observerScript(attributes []string) string {
	names, err := json.Marshal(attributes)
	if err != nil {
		names = []byte("[]") // a list of strings always encodes
	}
	return fmt.Sprintf("%s(%s, %q)", observerSource, names, bindingName)
}

// observed takes in a report of observer.js.
func (p *Page) observed(event *runtime.EventBindingCalled) bool {
	var report struct {
		Attributes map[string]*string `json:"attributes"`
	}
	if err := json.Unmarshal([]byte(event.Payload), &report); err != nil {
		p.recorder.add(Blind{Reason: "its observer reported " + event.Payload})
		return true
	}
	p.mu.Lock()
	if event.ExecutionContextID != p.world {
		p.mu.Unlock()
		return false // from a document that is already gone
	}
	p.mutations++
	var changed []RootAttribute
	for _, name := range p.context.root {
		value, reported := report.Attributes[name]
		switch {
		case !reported:
		case value == nil:
			delete(p.attributes, name)
			changed = append(changed, RootAttribute{Name: name})
		default:
			p.attributes[name] = *value
			changed = append(changed, RootAttribute{Name: name, Value: *value, Present: true})
		}
	}
	p.mu.Unlock()
	for _, change := range changed {
		p.recorder.add(change)
	}
	return true
}

// pageState is what events say about a page, copied at one moment.
type pageState struct {
	url    string
	world  runtime.ExecutionContextID
	loader cdp.LoaderID
	loaded map[string]bool // lifecycle events of the document
}

func (p *Page) state(context.Context) (pageState, error) {
	select {
	case <-p.session.gone:
		return pageState{}, p.session.goneCause
	case <-p.context.browser.wire.ended:
		return pageState{}, p.context.browser.wire.endedCause
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return pageState{url: p.url, world: p.world, loader: p.loader, loaded: maps.Clone(p.loaded[p.loader])}, nil
}

// waitUntil waits on the page's events. check runs while they stand still and must only read the state.
func (p *Page) waitUntil(ctx context.Context, what string, check func(pageState) (met bool, seen string)) error {
	return await.New(p.state, p, p.context.browser).Await(ctx, await.That(what, check))
}

var _ await.Source = (*Page)(nil)
