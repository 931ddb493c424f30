package layout_test

import (
	"fmt"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

func when(width int) string { return fmt.Sprintf("%d pixels wide", width) }

// wantSheet checks where the details lie over the centre.
func wantSheet(s *scaffold.Stage, left, right, top float64) {
	s.Helper()
	do(s, s.Page.Frames(s.Context, 2))
	if got := evaluate[map[string]box](s, measure)["details"]; !near(got.Left, left) || !near(got.Right, right) || !near(got.Top, top) {
		s.Errorf("the sheet reaches from %v to %v below %v, want from %v to %v below %v", got.Left, got.Right, got.Top, left, right, top)
	}
}

// middling has room for two columns: the details lie over the centre.
func middling(s *scaffold.Stage) {
	wantColumns(s, when(1024), 280, 0)
	openDetails(s)
	wantSheet(s, 1024-416, 1024, 0)
	wantFocus(s, "under a sheet", "Details")
	s.Press("Escape")
	gone(s, details)
	wantFocus(s, "after Escape", "Show details")
	s.Click(chromium.Role("button", "Close sidebar"))
	s.Click(showing)
	s.WaitFor(details)
	wantColumns(s, "without the sidebar", 0, 360)
}

func TestWithoutRoomTheDetailsAreASheet(t *testing.T) { scaffold.Run(t, opened(t, 1024, middling)) }

// A page of 1680 pixels at 200 % zoom is one of 840, half as high: nothing of it is out of reach.
func TestZoomedToTwiceTheSizeEverythingIsInReach(t *testing.T) {
	zoomed := opened(t, 840, func(s *scaffold.Stage) {
		wantColumns(s, when(840), 280, 0)
		openDetails(s)
		wantSheet(s, 840-416, 840, 0)
		s.Click(chromium.Role("tab", "Timing"))
		s.WaitFor(chromium.Role("tabpanel", "Timing"))
		s.Click(closing)
		gone(s, details)
		wantColumns(s, "with the details closed", 280, 0)
	})
	zoomed.Page.Height = 500
	scaffold.Run(t, zoomed)
}

// small has room for one: the sidebar is a drawer that opens over the page, the details a sheet below its head.
func small(s *scaffold.Stage) {
	wantColumns(s, when(480), 0, 0)
	s.Click(openSidebar)
	do(s, s.Page.Frames(s.Context, 30))
	got := evaluate[map[string]box](s, measure)
	if drawer, centre := got["sidebar"], got["centre"]; !near(drawer.Left, 0) || !near(drawer.Right, 280) || !near(centre.Left, 0) || !near(centre.Right, 480) {
		s.Errorf("the drawer reaches from %v to %v, the page from %v to %v", drawer.Left, drawer.Right, centre.Left, centre.Right)
	}
	s.Press("Escape")
	gone(s, chromium.Role("navigation", "Sessions"))
	wantFocus(s, "after Escape", "Open sidebar")
	openDetails(s)
	wantSheet(s, 0, 480, 52)
	s.Click(closing)
	gone(s, details)
	wantColumns(s, "with all closed", 0, 0)
	wantFocus(s, "after Close details", "Show details")

	// From a sheet to another view: that is seen, and at it the record.
	s.Click(showing)
	s.Click(chromium.Role("button", "Show in trajectory").Within(details))
	gone(s, details)
	wantFocus(s, "in the trajectory", "Trajectory")
	s.WaitFor(chromium.CSS("tr[aria-current]"))
	s.Settle()
	wantColumns(s, "in the trajectory", 0, 0)
}

func TestOnASmallScreenColumnsLieOverThePage(t *testing.T) { scaffold.Run(t, opened(t, 480, small)) }

func TestItSpeaksChinese(t *testing.T) {
	chinese := opened(t, 1680, func(s *scaffold.Stage) {
		s.Click(chromium.Role("button", "详情"))
		s.Golden("zh-nothing-chosen", chromium.Role("complementary", "详情"))
		wantColumns := evaluate[[]string](s, `[...document.querySelectorAll("[role=separator]")].map((each) => each.ariaLabel)`)
		if len(wantColumns) != 2 || wantColumns[0] != "调整侧边栏宽度" || wantColumns[1] != "调整详情宽度" {
			s.Errorf("the separators are called %q", wantColumns)
		}
		s.Open("/s/nowhere")
		s.Golden("zh-no-such-session", chromium.CSS("main .panel"))
	})
	chinese.Page.Locale = "zh-CN"
	scaffold.Run(t, chinese)
}
