package await

import (
	"strings"
	"testing"
	"time"
)

func TestTheDeadlineIsNinetyPercentOfTheEarlierBound(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		own     time.Duration // 0: none
		bazel   string
		want    time.Duration
		bounded bool
	}{
		{"go test's own", 100 * time.Second, "", 90 * time.Second, true},
		{"Bazel's alone", 0, "60", 54 * time.Second, true},
		{"Bazel's when it is earlier", 100 * time.Second, "60", 54 * time.Second, true},
		{"go test's when it is earlier", 10 * time.Second, "60", 9 * time.Second, true},
		{"none", 0, "", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, bounded, err := shareOf(start, start.Add(c.own), c.own != 0, c.bazel)
			if err != nil || bounded != c.bounded || (bounded && got.Sub(start) != c.want) {
				t.Errorf("%v %v %v", got.Sub(start), bounded, err)
			}
		})
	}
	for _, wrong := range []string{"soon", "0", "-3", "1.5"} {
		if _, _, err := shareOf(start, start, false, wrong); err == nil || !strings.Contains(err.Error(), "TEST_TIMEOUT") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestTheContextOfATestEndsBeforeTheTestDoes(t *testing.T) {
	own, ok := t.Deadline()
	deadline, bounded := Context(t).Deadline()
	if ok && (!bounded || !deadline.Before(own)) {
		t.Errorf("%v is not before %v", deadline, own)
	}
	if end, has := End(t); ok && (!has || end.After(own) || !deadline.Before(end)) {
		t.Errorf("the end %v is not between %v and %v", end, deadline, own)
	}
}
