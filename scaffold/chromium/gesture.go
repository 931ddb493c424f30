package chromium

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

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

// Click moves the mouse to the centre of the element and presses and releases the left button: trusted events. It waits until the element is there, enabled, at rest and uncovered.
func (p *Page) Click(ctx context.Context, q Query) error {
	return p.click(ctx, q, input.MouseButtonLeft, 1)
}

// DoubleClick presses twice.
func (p *Page) DoubleClick(ctx context.Context, q Query) error {
	return p.click(ctx, q, input.MouseButtonLeft, 2)
}

// RightClick presses the right button, which opens context menus.
func (p *Page) RightClick(ctx context.Context, q Query) error {
	return p.click(ctx, q, input.MouseButtonRight, 1)
}

func (p *Page) click(ctx context.Context, q Query, button input.MouseButton, times int) error {
	point, err := p.reachable(ctx, q)
	if err != nil {
		return err
	}
	return p.ClickAt(ctx, point.X, point.Y, button, times)
}

// ClickAt presses at a point of the viewport, in CSS pixels.
func (p *Page) ClickAt(ctx context.Context, x, y float64, button input.MouseButton, times int) error {
	if err := p.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}); err != nil {
		return err
	}
	for n := 1; n <= times; n++ {
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			if err := p.mouse(ctx, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: button, ClickCount: int64(n)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Hover moves the mouse over the element.
func (p *Page) Hover(ctx context.Context, q Query) error {
	point, err := p.reachable(ctx, q)
	if err != nil {
		return err
	}
	return p.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: point.X, Y: point.Y})
}

// Wheel turns the wheel over the element: positive deltaY scrolls down, in CSS pixels.
func (p *Page) Wheel(ctx context.Context, q Query, deltaX, deltaY float64) error {
	point, err := p.reachable(ctx, q)
	if err != nil {
		return err
	}
	// Not the generated parameters: they leave out a zero distance, which the protocol requires.
	sent, err := p.session.send(input.DispatchMouseEvent.Method, map[string]any{
		"type": input.DispatchMouseEventTypeMouseWheel, "x": point.X, "y": point.Y, "deltaX": deltaX, "deltaY": deltaY,
	})
	if err != nil {
		return err
	}
	return sent.wait(ctx, nil)
}

// Drag presses on the element, moves by the distance in steps, and releases.
func (p *Page) Drag(ctx context.Context, q Query, deltaX, deltaY float64, steps int) error {
	from, err := p.reachable(ctx, q)
	if err != nil {
		return err
	}
	events := []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved, X: from.X, Y: from.Y},
		{Type: input.DispatchMouseEventTypeMousePressed, X: from.X, Y: from.Y, Button: input.MouseButtonLeft, ClickCount: 1},
	}
	for i := 1; i <= steps; i++ {
		share := float64(i) / float64(steps)
		events = append(events, input.DispatchMouseEventParams{
			Type: input.DispatchMouseEventTypeMouseMoved, X: from.X + deltaX*share, Y: from.Y + deltaY*share, Button: input.MouseButtonLeft, Buttons: 1,
		})
	}
	events = append(events, input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseReleased, X: from.X + deltaX, Y: from.Y + deltaY, Button: input.MouseButtonLeft, ClickCount: 1,
	})
	for _, event := range events {
		if err := p.mouse(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

func (p *Page) mouse(ctx context.Context, event input.DispatchMouseEventParams) error {
	if _, err := call(ctx, p.session, input.DispatchMouseEvent, event); err != nil {
		return fmt.Errorf("chromium: sending %s: %w", event.Type, err)
	}
	return nil
}

// Focus gives the element the keyboard focus, without a click.
func (p *Page) Focus(ctx context.Context, q Query) error {
	found, err := p.WaitFor(ctx, q)
	if err != nil {
		return err
	}
	if _, err := call(ctx, p.session, dom.Focus, dom.FocusParams{BackendNodeID: found.Node}); err != nil {
		return fmt.Errorf("chromium: focusing %s: %w", q, err)
	}
	return nil
}

// Type types into what has the focus, one key after the other. A newline is Enter. What no
// key of an English keyboard produces (汉, é, 🙂) arrives as an input method delivers it: inserted, without key events.
func (p *Page) Type(ctx context.Context, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("chromium: typing %q: not valid UTF-8", text)
	}
	for _, r := range text {
		if _, known := kb.Keys[r]; !known {
			if _, err := call(ctx, p.session, input.InsertText, input.InsertTextParams{Text: string(r)}); err != nil {
				return fmt.Errorf("chromium: typing %q: %w", r, err)
			}
			continue
		}
		for _, event := range kb.Encode(r) {
			if err := p.key(ctx, *event); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Page) key(ctx context.Context, event input.DispatchKeyEventParams) error {
	if _, err := call(ctx, p.session, input.DispatchKeyEvent, event); err != nil {
		return fmt.Errorf("chromium: sending %s %s: %w", event.Type, event.Key, err)
	}
	return nil
}

// modifiers in the order in which they are held down.
var modifiers = []struct {
	name string
	bit  kb.Modifier
	code string
	key  int64 // Windows virtual key code
}{
	{"Control", kb.ModifierCtrl, "ControlLeft", 17},
	{"Alt", kb.ModifierAlt, "AltLeft", 18},
	{"Shift", kb.ModifierShift, "ShiftLeft", 16},
	{"Meta", kb.ModifierMeta, "MetaLeft", 91},
}

// Press presses one key, held together with modifiers: "Enter", "Shift+Tab", "Control+a", "Meta+Enter", "ArrowDown", "PageUp".
// Names are those of KeyboardEvent.key; modifiers are Control, Alt, Shift, Meta.
func (p *Page) Press(ctx context.Context, combination string) error {
	names := strings.Split(combination, "+")
	name := names[len(names)-1]
	if strings.HasSuffix(combination, "++") || combination == "+" {
		name, names = "+", append(strings.Split(strings.TrimSuffix(combination, "+"), "+"), "")
	}
	key, err := keyNamed(name)
	if err != nil {
		return err
	}
	var held kb.Modifier
	var down, up []input.DispatchKeyEventParams
	for _, wanted := range names[:len(names)-1] {
		if wanted == "" {
			continue
		}
		known := false
		for _, m := range modifiers {
			if m.name != wanted {
				continue
			}
			known = true
			held |= m.bit
			event := input.DispatchKeyEventParams{Key: m.name, Code: m.code, WindowsVirtualKeyCode: m.key, NativeVirtualKeyCode: m.key}
			event.Type, event.Modifiers = input.DispatchKeyEventTypeRawKeyDown, held.Int64()
			down = append(down, event)
			event.Type, event.Modifiers = input.DispatchKeyEventTypeKeyUp, (held &^ m.bit).Int64()
			up = append([]input.DispatchKeyEventParams{event}, up...)
		}
		if !known {
			return fmt.Errorf("chromium: pressing %q: %q is not a modifier (Control, Alt, Shift, Meta)", combination, wanted)
		}
	}
	press := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: key.Key, Code: key.Code, Modifiers: held.Int64(),
		WindowsVirtualKeyCode: key.Windows, NativeVirtualKeyCode: key.Native,
	}
	if key.Print && held&^kb.ModifierShift == 0 {
		press.Type, press.Text, press.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, key.Text, key.Unmodified
	}
	if name == "Enter" {
		press.Type, press.Text, press.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, "\r", "\r"
	}
	release := press
	release.Type, release.Text, release.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	for _, event := range append(append(down, press, release), up...) {
		if err := p.key(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

func keyNamed(name string) (kb.Key, error) {
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && size > 0 {
		if key := kb.Keys[r]; key != nil && key.Print {
			return *key, nil
		}
	}
	if name == "Space" {
		return *kb.Keys[' '], nil
	}
	// Several entries can share a name (left and right, numpad): the smallest is the plain one.
	for _, r := range slices.Sorted(maps.Keys(kb.Keys)) {
		if key := kb.Keys[r]; key.Key == name && !strings.HasPrefix(key.Code, "Numpad") {
			return *key, nil
		}
	}
	return kb.Key{}, fmt.Errorf("chromium: pressing %q: no such key; use KeyboardEvent.key names such as Enter, Escape, ArrowDown or a character", name)
}

// Fill replaces the text of an editable element: it is clicked, everything in it is selected, and the text is inserted as one trusted input event. An empty text deletes.
func (p *Page) Fill(ctx context.Context, q Query, text string) error {
	if err := p.Click(ctx, q); err != nil {
		return err
	}
	if err := p.Press(ctx, "Control+a"); err != nil {
		return err
	}
	if text == "" {
		return p.Press(ctx, "Delete")
	}
	if _, err := call(ctx, p.session, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		return fmt.Errorf("chromium: filling %s: %w", q, err)
	}
	return nil
}
