package trajectory_test

import (
	"slices"
	"strings"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

var clear = chromium.Role("button", "Clear focus")

// outside are the kinds of the records outside of the focus, in order.
func outside(s *scaffold.Stage) []string {
	s.Helper()
	return evaluate[[]string](s, `[...document.querySelectorAll("tr[data-timeline-focus=outside]")].map((row) => row.dataset.kind)`)
}

// says checks what the slider tells of where it is.
func says(s *scaffold.Stage, words ...string) {
	s.Helper()
	text, _, err := s.Page.Attribute(s.Context, "[role=slider]", "aria-valuetext")
	for _, each := range words {
		if err != nil || !strings.Contains(text, each) {
			s.Errorf("the timeline says %q, not %q (%v)", text, each, err)
		}
	}
}

// focusing drags over the second half of the timeline, which begins with the tenth of sixteen records.
func focusing(s *scaffold.Stage) {
	s.Helper()
	s.Open("/s/" + eventful + "/trajectory")
	width := evaluate[float64](s, `document.querySelector("[role=slider]").getBoundingClientRect().width`)
	if err := s.Page.Drag(s.Context, plot, width/2, 0, 6); err != nil {
		s.Fatalf("%v", err)
	}
	s.WaitFor(clear)
	if got, want := outside(s), []string{"user", "system", "assistant", "tool", "assistant", "retry", "assistant", "tool"}; !slices.Equal(got, want) {
		s.Errorf("outside of the focus are %v, want %v", got, want)
	}
}

func TestADragPointsOutAPartOfTheLog(t *testing.T) {
	scaffold.Run(t, scenario(func(s *scaffold.Stage) {
		focusing(s)
		s.Golden("focused", view)
		s.Click(clear)
		if got := outside(s); len(got) > 0 {
			s.Errorf("after clearing, %v are outside", got)
		}

		// The same by keys: from the fourth record, three more.
		s.Click(plot)
		says(s, "Request #3", "Total 1.75s", "TTFT 250ms", "Decoding 1.5s", "03:0")
		s.Press("Home")
		for range 3 {
			s.Press("ArrowRight")
		}
		says(s, "Tool", "Total 240ms")
		for range 3 {
			s.Press("Shift+ArrowRight")
		}
		if got := len(outside(s)); got != 16-4 {
			s.Errorf("%d rows are outside, want all but four", got)
		}
		s.Press("Escape")
		gone(s, clear)

		// Bars as long as what they stand for: the model's last answer took three times as long as its first token.
		before := evaluate[string](s, `document.querySelector(".bar-tool").getAttribute("d")`)
		s.Click(chromium.Role("button", "Use actual duration"))
		s.WaitFor(chromium.Role("button", "Use equal-width operations"))
		if after := evaluate[string](s, `document.querySelector(".bar-tool").getAttribute("d")`); after == before {
			s.Errorf("the bars of tools are still %s", after)
		}
		if err := s.Page.Wheel(s.Context, plot, 0, -300); err != nil {
			s.Fatalf("%v", err)
		}
		s.WaitFor(chromium.CSS("[data-zoomed=true]"))
		s.Click(clear)
		gone(s, chromium.CSS("[data-zoomed=true]"))
	}))
}

// panning drags with the right button, which moves what is zoomed and else nothing, and clears with a press that stays.
func panning(s *scaffold.Stage) {
	s.Helper()
	bars := func() string {
		return evaluate[string](s, `[...document.querySelectorAll(".bar")].map((bar) => bar.getAttribute("d")).join()`)
	}
	s.Open("/s/" + eventful + "/trajectory")
	pan := func(by float64) {
		s.Helper()
		if err := s.Page.RightDrag(s.Context, plot, by, 0, 5); err != nil {
			s.Fatalf("%v", err)
		}
	}
	whole := bars()
	pan(-120)
	if got := bars(); got != whole {
		s.Errorf("the whole line was moved: %s became %s", whole, got)
	}
	if err := s.Page.Wheel(s.Context, plot, 0, -300); err != nil {
		s.Fatalf("%v", err)
	}
	s.WaitFor(chromium.CSS("[data-zoomed=true]"))
	zoomed := bars()
	pan(-120)
	if got := bars(); got == zoomed {
		s.Errorf("the zoomed line was not moved by a drag with the right button")
	}
	pan(120)
	if got := bars(); got != zoomed {
		s.Errorf("back from where it was dragged, the line is %s, it was %s", got, zoomed)
	}
	s.WaitFor(clear)
	if err := s.Page.RightClick(s.Context, plot); err != nil {
		s.Fatalf("%v", err)
	}
	gone(s, clear)
	if got := bars(); got != whole {
		s.Errorf("cleared, the line is %s, it was %s", got, whole)
	}
}

func TestADragWithTheRightButtonMovesWhatIsZoomed(t *testing.T) {
	scaffold.Run(t, scenario(panning))
}

func TestASearchCountsAndGoesFromMatchToMatch(t *testing.T) {
	scaffold.Run(t, scenario(func(s *scaffold.Stage) {
		s.Open("/s/" + eventful + "/trajectory")
		if err := s.Page.Focus(s.Context, chromium.Role("button", "Use actual duration")); err != nil {
			s.Fatalf("%v", err)
		}
		s.Press("ArrowRight")
		s.Press("Enter")
		s.WaitFor(chromium.Role("button", "Expand turns"))
		if rows := evaluate[int](s, `document.querySelectorAll("tr[data-record]").length`); rows != 4 {
			s.Errorf("%d rows are left, want three turns and what happened between them", rows)
		}
		s.Golden("collapsed", chromium.Role("table", "Trajectory records"))
		s.Click(search)
		if err := s.Page.Type(s.Context, "KEYLANE_TRAJECTORY"); err != nil {
			s.Fatalf("%v", err)
		}
		found := func(words string) {
			s.Helper()
			if text := s.Text(".trajectory-found"); text != words {
				s.Errorf("the search says %q, want %q", text, words)
			}
		}
		found("0 of 3")
		for i, kind := range []string{"assistant", "tool", "assistant", "assistant"} {
			s.Press("Enter")
			if got := evaluate[string](s, `document.querySelector("tr[aria-current]")?.dataset.kind ?? "none"`); got != kind || !shown(s) {
				s.Errorf("match %d is a record of kind %s (in view: %t), want %s", i+1, got, shown(s), kind)
			}
		}
		found("1 of 3")
		s.Press("Shift+Enter")
		found("3 of 3")
		if err := s.Page.Fill(s.Context, search, "nowhere in the log"); err != nil {
			s.Fatalf("%v", err)
		}
		found("No match")
	}))
}

func TestItSpeaksChinese(t *testing.T) {
	chinese := scenario(func(s *scaffold.Stage) {
		s.Open("/s/" + eventful + "/trajectory")
		s.WaitFor(chromium.Role("table", "轨迹记录"))
		s.Golden("zh", chromium.Role("tabpanel", "轨迹"))
		s.Click(chromium.CSS("tr[data-kind=tool] .record-button").Nth(1))
		s.WaitFor(chromium.Role("complementary", "详情"))
		s.Golden("zh-details", chromium.Role("complementary", "详情"))
	})
	chinese.Page = chromium.ContextOptions{Locale: "zh-CN"}
	scaffold.Run(t, chinese)
}

// Where there is little room the panel lies over the table and the page does not scroll sideways.
func TestItFitsASmallScreen(t *testing.T) {
	small := scenario(func(s *scaffold.Stage) {
		s.Open("/s/" + eventful + "/trajectory")
		s.Click(record(seqOf(s, "tool", "notes.txt")))
		s.WaitFor(details)
		if over := evaluate[string](s, `(() => {
			const panel = document.querySelector(".inspector").getBoundingClientRect();
			return [document.documentElement.scrollWidth > innerWidth, panel.left < 0, panel.right > innerWidth, panel.width < 300].join();
		})()`); over != "false,false,false,false" {
			s.Errorf("something does not fit: %s", over)
		}
		s.Click(chromium.Role("button", "Close details"))
		gone(s, details)
		wide := evaluate[int](s, `[...document.querySelectorAll("tr[data-record]")].filter((row) => row.getBoundingClientRect().right > innerWidth).length`)
		if wide > 0 {
			s.Errorf("%d rows reach beyond the screen", wide)
		}
	})
	small.Page = chromium.ContextOptions{Width: 480, Height: 900}
	scaffold.Run(t, small)
}
