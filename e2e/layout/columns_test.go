package layout_test

import (
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// drag moves a separator, in more steps than one.
func drag(s *scaffold.Stage, edge chromium.Query, by float64) {
	s.Helper()
	do(s, s.Page.Drag(s.Context, edge, by, 0, 5))
}

// value is what a separator says of itself.
func value(s *scaffold.Stage, name string) string {
	s.Helper()
	return evaluate[string](s, `(() => {
		const edge = document.querySelector('[role=separator][aria-label="`+name+`"]');
		return ["aria-valuenow", "aria-valuemin", "aria-valuemax", "aria-orientation"].map((each) => edge.getAttribute(each)).join(" ");
	})()`)
}

func wantValue(s *scaffold.Stage, name, want string) {
	s.Helper()
	if got := value(s, name); got != want {
		s.Errorf("the separator %q says %q, want %q", name, got, want)
	}
}

// byMouse drags both separators as far as they go and further.
func byMouse(s *scaffold.Stage) {
	wantColumns(s, "at first", 280, 0)
	openDetails(s)
	wantColumns(s, "with details", 280, 360)
	drag(s, sidebarEdge, 60)
	wantColumns(s, "after a drag of the sidebar", 340, 360)
	drag(s, detailsEdge, -100)
	wantColumns(s, "after a drag of the details", 340, 460)
	wantValue(s, "Resize sidebar", "340 280 420 vertical")
	wantValue(s, "Resize details", "460 300 520 vertical")
	drag(s, sidebarEdge, 300)
	drag(s, detailsEdge, -300)
	wantColumns(s, "as wide as can be", 420, 520)
	drag(s, sidebarEdge, -300)
	drag(s, detailsEdge, 400)
	wantColumns(s, "as narrow as can be", 280, 300)
	drag(s, sidebarEdge, 50)
	do(s, s.Page.DoubleClick(s.Context, sidebarEdge))
	do(s, s.Page.DoubleClick(s.Context, detailsEdge))
	wantColumns(s, "after double clicks", 280, 360)
	drag(s, detailsEdge, -40)
	s.Reload()
	gone(s, details)
	wantColumns(s, "after a reload", 280, 0)
	openDetails(s)
	wantColumns(s, "opened after a reload", 280, 360)
}

func TestSeparatorsAreDragged(t *testing.T) { scaffold.Run(t, opened(t, 1680, byMouse)) }

// byKeys does the same without a mouse.
func byKeys(s *scaffold.Stage) {
	openDetails(s)
	do(s, s.Page.Focus(s.Context, sidebarEdge))
	s.Press("ArrowRight")
	s.Press("ArrowRight")
	wantColumns(s, "after two arrows", 312, 360)
	s.Press("ArrowLeft")
	wantColumns(s, "after one back", 296, 360)
	s.Press("End")
	wantColumns(s, "after End", 420, 360)
	s.Press("Home")
	wantColumns(s, "after Home", 280, 360)
	s.Press("Enter")
	gone(s, sidebarEdge)
	wantColumns(s, "without the sidebar", 0, 360)
	wantFocus(s, "without the sidebar", "Open sidebar")
	s.Press("Enter")
	wantColumns(s, "with the sidebar again", 280, 360)

	do(s, s.Page.Focus(s.Context, detailsEdge))
	s.Press("ArrowLeft")
	wantColumns(s, "after an arrow towards the centre", 280, 376)
	s.Press("End")
	s.Press("ArrowRight")
	wantColumns(s, "after End and one back", 280, 504)
	s.Press("Enter")
	gone(s, details)
	wantColumns(s, "without the details", 280, 0)
	wantFocus(s, "without the details", "Show details")
	s.Press("Enter")
	s.WaitFor(details)
	wantColumns(s, "with the details again", 280, 504)

	// Escape closes them from inside, and not from a field that is typed in.
	do(s, s.Page.Focus(s.Context, chromium.Role("textbox", "Message the agent")))
	s.Press("Escape")
	wantColumns(s, "after Escape in the field", 280, 504)
	do(s, s.Page.Focus(s.Context, chromium.Role("tab", "Summary")))
	s.Press("Escape")
	gone(s, details)
	wantFocus(s, "after Escape", "Show details")
}

func TestSeparatorsAreMovedByKeys(t *testing.T) { scaffold.Run(t, opened(t, 1680, byKeys)) }

// shrinking makes the window smaller and larger again.
func shrinking(s *scaffold.Stage) {
	openDetails(s)
	do(s, s.Page.Focus(s.Context, detailsEdge))
	s.Press("End")
	for _, step := range []struct {
		width            int
		sidebar, details float64
	}{
		{1680, 280, 520},
		{1300, 280, 380}, // the details give way first
		{1220, 280, 300},
		{1219, 280, 0}, // then they go
		{900, 280, 0},  // then the centre gets less than 640
		{1300, 280, 380},
		{1680, 280, 520}, // nothing of what was chosen is lost
	} {
		do(s, s.Page.Resize(s.Context, step.width, 1000))
		wantColumns(s, when(step.width), step.sidebar, step.details)
	}
	do(s, s.Page.Resize(s.Context, 1100, 1000))
	gone(s, details)
	s.Click(chromium.Role("button", "Close sidebar"))
	wantColumns(s, "1100 pixels wide, without the sidebar", 0, 460)
	do(s, s.Page.Resize(s.Context, 767, 1000))
	wantColumns(s, "narrow", 0, 0)
}

func TestTheDetailsGiveWayBeforeTheCentre(t *testing.T) {
	scaffold.Run(t, opened(t, 1680, shrinking))
}

// leaving goes to another session and comes back.
func leaving(s *scaffold.Stage) {
	openDetails(s)
	drag(s, detailsEdge, -80)
	s.Click(secondSession)
	s.WaitFor(chromium.Role("heading", "The second"))
	s.Settle()
	wantColumns(s, "at another session", 280, 0)
	s.Click(firstSession)
	s.WaitFor(chromium.Role("heading", "The first"))
	s.Settle()
	wantColumns(s, "back at the first", 280, 0)
	s.Click(toggle)
	s.WaitFor(details)
	wantColumns(s, "opened again", 280, 440)
	s.Golden("nothing-chosen", details)
	s.Click(toggle)
	gone(s, details)
}

func TestAnotherSessionClosesTheDetails(t *testing.T) { scaffold.Run(t, opened(t, 1680, leaving)) }

// reading is in the middle of a paragraph while a column comes and changes its width.
func reading(s *scaffold.Stage) {
	// What is at the top of the conversation, and how much of it lies above the edge.
	const top = `(() => {
		const edge = document.querySelector("[data-conversation-scroll]").getBoundingClientRect().top;
		const line = [...document.querySelectorAll("[data-row-kind=text] p")].find((each) => each.getBoundingClientRect().bottom > edge);
		const {top, height} = line.getBoundingClientRect();
		return {Text: line.textContent.slice(0, 24), Off: edge - top, Height: height};
	})()`
	type place struct {
		Text        string
		Off, Height float64
	}
	s.Click(toggle)
	s.WaitFor(details)
	evaluate[any](s, `void (() => {
		const port = document.querySelector("[data-conversation-scroll]");
		const line = [...document.querySelectorAll("[data-row-kind=text] p")].find((each) => each.textContent.startsWith("Paragraph 2 of turn 9."));
		port.scrollTop += line.getBoundingClientRect().top - port.getBoundingClientRect().top + line.getBoundingClientRect().height / 2;
	})()`)
	s.WaitFor(chromium.Role("button", "Back to bottom"))
	before := evaluate[place](s, top)
	for _, width := range []int{1220, 900, 780, 1680, 780, 1680} {
		do(s, s.Page.Resize(s.Context, width, 1000))
		do(s, s.Page.Frames(s.Context, 3))
		after := evaluate[place](s, top)
		if after.Text != before.Text || !near(after.Off, after.Height*before.Off/before.Height) {
			s.Errorf("the reader was at %+v and is at %+v in a page %d pixels wide", before, after, width)
		}
	}
}

func TestWhatIsReadStaysWhereItIs(t *testing.T) { scaffold.Run(t, opened(t, 1680, reading)) }
