package chromium

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/input"
)

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
	return p.drag(ctx, q, input.MouseButtonLeft, deltaX, deltaY, steps, nil)
}

// RightDrag does the same with the right button.
func (p *Page) RightDrag(ctx context.Context, q Query, deltaX, deltaY float64, steps int) error {
	return p.drag(ctx, q, input.MouseButtonRight, deltaX, deltaY, steps, nil)
}

// DragUntil is a Drag that, having moved, is held where it is until held returns, for a page that goes on by itself meanwhile: a list that
// scrolls under the mouse. An error of held is returned after the release.
func (p *Page) DragUntil(ctx context.Context, q Query, deltaX, deltaY float64, steps int, held func() error) error {
	return p.drag(ctx, q, input.MouseButtonLeft, deltaX, deltaY, steps, held)
}

// down is the bit of each button among those that are down, as MouseEvent.buttons has it.
var down = map[input.MouseButton]int64{input.MouseButtonLeft: 1, input.MouseButtonRight: 2}

func (p *Page) drag(ctx context.Context, q Query, button input.MouseButton, deltaX, deltaY float64, steps int, held func() error) error {
	from, err := p.reachable(ctx, q)
	if err != nil {
		return err
	}
	events := []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved, X: from.X, Y: from.Y},
		{Type: input.DispatchMouseEventTypeMousePressed, X: from.X, Y: from.Y, Button: button, ClickCount: 1},
	}
	for i := 1; i <= steps; i++ {
		share := float64(i) / float64(steps)
		events = append(events, input.DispatchMouseEventParams{
			Type: input.DispatchMouseEventTypeMouseMoved, X: from.X + deltaX*share, Y: from.Y + deltaY*share, Button: button, Buttons: down[button],
		})
	}
	for _, event := range events {
		if err := p.mouse(ctx, event); err != nil {
			return err
		}
	}
	if held != nil {
		err = held()
	}
	return errors.Join(err, p.mouse(ctx, input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseReleased, X: from.X + deltaX, Y: from.Y + deltaY, Button: button, ClickCount: 1,
	}))
}

func (p *Page) mouse(ctx context.Context, event input.DispatchMouseEventParams) error {
	if _, err := call(ctx, p.session, input.DispatchMouseEvent, event); err != nil {
		return fmt.Errorf("chromium: sending %s: %w", event.Type, err)
	}
	return nil
}
