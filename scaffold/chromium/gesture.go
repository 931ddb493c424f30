package chromium

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/dom"

	"keylane/scaffold/await"
)

// sight is one look at an element that a gesture is for.
type sight struct {
	element Element
	err     error // the element is not there, or it can't be reached
	X       float64
	Y       float64
}

// reach scrolls the element into view if it is not, and returns the point to press: its centre, visible, at rest over one
// animation frame, and not covered by something else.
const reach = `async function() {
	const box = () => {
		const rects = [...this.getClientRects()].filter(r => r.width > 0 && r.height > 0);
		if (!rects.length) return null;
		const r = rects[0];
		const left = Math.max(r.left, 0), right = Math.min(r.right, innerWidth);
		const top = Math.max(r.top, 0), bottom = Math.min(r.bottom, innerHeight);
		return { x: (left + right) / 2, y: (top + bottom) / 2, seen: right > left && bottom > top };
	};
	const first = box();
	if (!first) return { why: "it has no box: it is hidden or empty" };
	await new Promise(requestAnimationFrame);
	const b = box();
	if (!b || b.x !== first.x || b.y !== first.y) return { why: "it is moving" };
	if (!b.seen) return { why: "it is outside the viewport" };
	if (this.closest("[inert]")) return { why: "it is inert" };
	let hit = document.elementFromPoint(b.x, b.y);
	while (hit && hit.shadowRoot && hit.shadowRoot.elementFromPoint(b.x, b.y) && hit.shadowRoot.elementFromPoint(b.x, b.y) !== hit)
		hit = hit.shadowRoot.elementFromPoint(b.x, b.y);
	const label = hit && hit.closest("label");
	if (!hit || !(this.contains(hit) || (label && label.control === this))) {
		const name = hit ? "<" + hit.localName + (hit.id ? " id=" + hit.id : "") + ">" : "nothing";
		return { why: "it is covered by " + name };
	}
	return { x: b.x, y: b.y };
}`

// look makes one sight. Problems of the element go into the sight; only problems of the page are errors.
func (p *Page) look(ctx context.Context, q Query) (sight, error) {
	var notFound *NotFoundError
	element, err := p.Find(ctx, q)
	switch {
	case errors.As(err, &notFound):
		return sight{err: err}, nil
	case err != nil:
		return p.retriable(err)
	case element.Disabled:
		return sight{element: element, err: errors.New("it is disabled")}, nil
	}
	if _, err := call(ctx, p.session, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: element.Node}); err != nil {
		return p.retriable(err)
	}
	point, err := on[struct {
		X, Y float64
		Why  string
	}](ctx, p, element.Node, reach)
	switch {
	case err != nil:
		return p.retriable(err)
	case point.Why != "":
		return sight{element: element, err: errors.New(point.Why)}, nil
	}
	return sight{element: element, X: point.X, Y: point.Y}, nil
}

// retriable turns a protocol error about something that has just gone from the page into a sight; the end of the page stays an error.
func (p *Page) retriable(err error) (sight, error) {
	if isProtocolError(err) {
		return sight{err: err}, nil
	}
	return sight{}, err
}

// WaitFor waits until the query finds its one element, and returns it.
func (p *Page) WaitFor(ctx context.Context, q Query) (Element, error) {
	found, err := p.awaitSight(ctx, q, "there is "+q.String(), func(ctx context.Context) (sight, error) {
		element, err := p.Find(ctx, q)
		var notFound *NotFoundError
		switch {
		case errors.As(err, &notFound):
			return sight{err: err}, nil
		case err != nil:
			return p.retriable(err)
		}
		return sight{element: element}, nil
	})
	return found.element, err
}

// WaitGone waits until the query matches nothing.
func (p *Page) WaitGone(ctx context.Context, q Query) error {
	_, err := p.awaitSight(ctx, q, "there is no "+q.String(), func(ctx context.Context) (sight, error) {
		matches, err := p.FindAll(ctx, q)
		switch {
		case err != nil && !isProtocolError(err):
			return sight{}, err
		case err != nil:
			return sight{err: err}, nil
		case len(matches) > 0:
			return sight{err: fmt.Errorf("%d match", len(matches))}, nil
		}
		return sight{}, nil
	})
	return err
}

func (p *Page) awaitSight(ctx context.Context, q Query, what string, look func(context.Context) (sight, error)) (sight, error) {
	var last sight
	err := await.New(look, p, p.context.browser).Await(ctx, await.That(what, func(s sight) (bool, string) {
		last = s
		if s.err != nil {
			return false, s.err.Error()
		}
		return true, ""
	}))
	if err != nil {
		return sight{}, fmt.Errorf("chromium: %s: %w", q, err)
	}
	return last, nil
}

func (p *Page) reachable(ctx context.Context, q Query) (sight, error) {
	return p.awaitSight(ctx, q, q.String()+" can be pressed", func(ctx context.Context) (sight, error) { return p.look(ctx, q) })
}
