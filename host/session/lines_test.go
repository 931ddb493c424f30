package session

import (
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the text and the limit, the lines are those that splitting gives, and what is too long is left out with everything else in place.
func TestALineReaderWithALimitLeavesOutOnlyWhatIsTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.StringMatching(`[a-c\r]{0,12}`), rapid.Just(strings.Repeat("x", 70<<10)))).Draw(t, "lines"), "\n")
		limit := rapid.SampledFrom([]int64{0, 1, 5, 11, 64 << 10, 70<<10 - 1, 70 << 10}).Draw(t, "limit")
		lines := NewLineReader(strings.NewReader(text))
		lines.Limit(limit)
		rest, number := text, 0
		for rest != "" {
			line, after, found := strings.Cut(rest, "\n")
			number++
			got, err := lines.Next()
			long := limit > 0 && int64(len(strings.TrimRight(line, "\r"))) > limit
			want := line
			if found {
				want = strings.TrimSuffix(line, "\r")
			}
			switch {
			case long && !errors.Is(err, ErrLineTooLong):
				t.Fatalf("line %d of %d bytes: %v", number, len(line), err)
			case !long && limit > 0 && errors.Is(err, ErrLineTooLong) && int64(len(line)) > limit: // it is its \r that are too many
			case !long && (err != nil || string(got) != want):
				t.Fatalf("line %d: %q, want %q, %v", number, got, want, err)
			}
			rest = after
			if lines.Number() != number || lines.Complete() != found || lines.Offset() != int64(len(text)-len(rest)) {
				t.Fatalf("line %d: number %d, complete %v, offset %d", number, lines.Number(), lines.Complete(), lines.Offset())
			}
		}
		if _, err := lines.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: %v", err)
		}
	})
}
