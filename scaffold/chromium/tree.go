package chromium

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// AXTree is Chromium's accessibility tree of a document and the element in it that was asked for.
type AXTree struct {
	// Nodes are all nodes of the document, ignored ones included, as the protocol gives them.
	Nodes []*accessibility.Node
	// Root is the element's node in Nodes.
	Root cdp.BackendNodeID
	// Current holds aria-current of the elements that have it, which the accessibility domain does not report.
	Current map[cdp.BackendNodeID]string
}

// AXTree reads the accessibility tree once and marks the one element that the query finds. Use [Stable] around it for captures.
func (p *Page) AXTree(ctx context.Context, q Query) (AXTree, error) {
	element, err := p.Find(ctx, q)
	if err != nil {
		return AXTree{}, err
	}
	full, err := call(ctx, p.session, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		return AXTree{}, fmt.Errorf("chromium: reading the accessibility tree: %w", err)
	}
	tree := AXTree{Nodes: full.Nodes, Root: element.Node, Current: map[cdp.BackendNodeID]string{}}
	current, err := p.FindAll(ctx, CSS("[aria-current]"))
	if err != nil {
		return AXTree{}, err
	}
	for _, marked := range current {
		value, err := on[string](ctx, p, marked.Node, `function() { return this.getAttribute("aria-current") }`)
		if err != nil {
			return AXTree{}, err
		}
		tree.Current[marked.Node] = value
	}
	return tree, nil
}

// isProtocolError tells an answer of Chromium ("no such node") from the loss of Chromium.
func isProtocolError(err error) bool {
	var protocol *cdproto.Error
	return errors.As(err, &protocol)
}
