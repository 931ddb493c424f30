package chromium

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
)

// Swipe puts a finger on the middle of the element, moves it by deltaY CSS pixels (down is positive, which scrolls up) in steps, a frame each, and lifts it
// while it moves, so that what scrolls may go on by itself for a while. It returns when the finger is lifted. From then on the page is one that has a touch screen.
func (p *Page) Swipe(ctx context.Context, q Query, deltaY float64, steps int) error {
	point, err := p.reachable(ctx, q)
	if err != nil {
		return err
	}
	if _, err := call(ctx, p.session, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
		return fmt.Errorf("chromium: putting a finger on the screen: %w", err)
	}
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) error {
		if points == nil {
			points = []*input.TouchPoint{}
		}
		if _, err := call(ctx, p.session, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
			return fmt.Errorf("chromium: sending %s: %w", kind, err)
		}
		return nil
	}
	if err := touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: point.X, Y: point.Y}); err != nil {
		return err
	}
	for i := 1; i <= steps; i++ {
		if err := touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: point.X, Y: point.Y + deltaY*float64(i)/float64(steps)}); err != nil {
			return err
		}
		if err := p.Frames(ctx, 1); err != nil {
			return err
		}
	}
	return touch(input.DispatchTouchEventTypeTouchEnd)
}

// DragScrollbar presses on the vertical scroll bar of the element where its thumb is, moves by deltaY in steps, and releases. The element has to
// show a scroll bar that takes room.
func (p *Page) DragScrollbar(ctx context.Context, q Query, deltaY float64, steps int) error {
	found, err := p.WaitFor(ctx, q)
	if err != nil {
		return err
	}
	thumb, err := on[struct {
		X, Y float64
		Why  string
	}](ctx, p, found.Node, `function() {
		const box = this.getBoundingClientRect();
		const left = box.left + this.clientLeft + this.clientWidth;
		const width = box.right - parseFloat(getComputedStyle(this).borderRightWidth) - left;
		if (width < 4) return { why: "it shows no scroll bar that takes room" };
		const share = (this.scrollTop + this.clientHeight / 2) / this.scrollHeight;
		return { x: left + width / 2, y: box.top + this.clientTop + share * this.clientHeight };
	}`)
	if err != nil {
		return err
	}
	if thumb.Why != "" {
		return fmt.Errorf("chromium: dragging the scroll bar of %s: %s", q, thumb.Why)
	}
	events := []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved, X: thumb.X, Y: thumb.Y},
		{Type: input.DispatchMouseEventTypeMousePressed, X: thumb.X, Y: thumb.Y, Button: input.MouseButtonLeft, ClickCount: 1},
	}
	for i := 1; i <= steps; i++ {
		events = append(events, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved,
			X: thumb.X, Y: thumb.Y + deltaY*float64(i)/float64(steps), Button: input.MouseButtonLeft, Buttons: 1})
	}
	events = append(events, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: thumb.X, Y: thumb.Y + deltaY, Button: input.MouseButtonLeft, ClickCount: 1})
	for _, event := range events {
		if err := p.mouse(ctx, event); err != nil {
			return err
		}
	}
	return nil
}
