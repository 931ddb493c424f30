package retry_test

import (
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// shrinkAndGrow lets a row of the transcript go and a taller one come, as two messages from the host do that arrive between two frames of the
// page, with the layout looked at in between. It answers whether the view is at the bottom afterwards.
const shrinkAndGrow = `(async () => {
	const port = document.querySelector("[data-conversation-scroll]");
	const column = port.firstElementChild;
	const frame = () => new Promise((done) => requestAnimationFrame(done));
	const task = () => new Promise((done) => {
		const channel = new MessageChannel();
		channel.port1.onmessage = () => { channel.port1.close(); done(); };
		channel.port2.postMessage(null);
	});
	const row = (height) => {
		const element = document.createElement("div");
		element.style.height = height + "px";
		column.append(element);
		return element;
	};
	const first = row(100);
	await frame(); await frame();
	await task(); // behind the frame's own layout
	first.remove();
	void port.scrollTop;
	await task();
	const second = row(400);
	void port.scrollTop;
	await frame(); await frame();
	const distance = port.scrollHeight - port.clientHeight - port.scrollTop;
	second.remove();
	await frame(); await frame();
	return distance;
})()`

// A view that follows the conversation goes on following it when a row shrinks and another grows before the page has drawn: nobody scrolled.
func TestRowsThatShrinkAndGrowBetweenFramesLeaveTheViewAtTheBottom(t *testing.T) {
	scaffold.OnlyReplay(t)
	small := scenario()
	small.Page = chromium.ContextOptions{Width: 1000, Height: 420}
	drive := small.Drive
	small.Drive = func(s *scaffold.Stage) {
		drive(s)
		distance, err := chromium.Eval[float64](s.Context, s.Page, shrinkAndGrow)
		if err != nil {
			s.Fatalf("moving rows: %v", err)
		}
		if distance > 1 {
			s.Errorf("the view is %v pixels above the bottom, and nobody scrolled", distance)
		}
	}
	small.Check = nil
	scaffold.Run(t, small)
}
