package golden

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"keylane/scaffold/aria"
)

// Literal is a text of this run, such as its temporary folder, and the token that stands for it.
type Literal struct {
	Text  string
	Token string
	// Word replaces whole words only: for short names that could be part of another word.
	Word bool
}

// Normaliser replaces what differs from run to run by tokens. The rules, in order:
//
//  1. Literals, the longest first.
//  2. UUIDs → {{uuid}}.
//  3. The port of a loopback address → {{port}}.
//  4. Dates → {{date}}: 2026-07-25, Jul 25, July 25, 2026, 7月25日, 2026年7月25日, 7/25/2026, and 7/25 when a clock follows. A bare
//     7/25 stays: it can't be told from a counter ("attempt 1/2"); pin the clock.
//  5. Clocks → {{clock}}: 14:05, 2:05:09 PM, 上午9:30.
//  6. Durations → {{duration}}: 1.2s, 368ms, 2m 42s, 2m42s, 1d 2h 3m 4s, 1.2 秒, 2 分 42 秒, 1 小时 2 分钟. In English the unit
//     touches its number. Approximations (~3mo, 约 3 天) stay.
//
// A time in RFC 3339 comes out as {{date}}T{{clock}}Z. Relative words (now, 3 min ago) are no rule's business: pin the clock.
// The zero value has no literals. Normalising is idempotent.
type Normaliser struct{ Literals []Literal }

// rule replaces what the pattern matches, unless the character before or after says that it is a part of something else.
// (Go's patterns have no look-around.) The first group of the pattern, if it took part, is kept,
// behind the token or before it.
type rule struct {
	pattern               *regexp.Regexp
	token                 string
	badBefore, badAfter   string // characters; letters and digits are named by the two fields below
	wordBefore, wordAfter bool   // a letter or digit there is bad as well
	keepFirst             bool   // the kept group stands before the token
}

// englishDuration: units only get smaller, so that two durations in a row stay two.
const englishDuration = `[0-9]+(?:\.[0-9]+)?(?:ms|µs)` +
	`|[0-9]+d(?: ?[0-9]+h)?(?: ?[0-9]+m)?(?: ?[0-9]+(?:\.[0-9]+)?s)?` +
	`|[0-9]+h(?: ?[0-9]+m)?(?: ?[0-9]+(?:\.[0-9]+)?s)?` +
	`|[0-9]+(?:\.[0-9]+)?m(?: ?[0-9]+(?:\.[0-9]+)?s)?` +
	`|[0-9]+(?:\.[0-9]+)?s`

const (
	digits   = "0123456789"
	monthDay = `(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12][0-9]|3[01])`
	english  = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)`
	amount   = `[0-9]+(?:\.[0-9]+)?`
)

var rules = []rule{
	{pattern: regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), token: `{{uuid}}`, wordBefore: true, wordAfter: true},
	{pattern: regexp.MustCompile(`((?:[a-z0-9-]+\.)*localhost:|127\.0\.0\.1:|\[::1\]:)[0-9]{1,5}`), token: `{{port}}`, badBefore: ".-", wordBefore: true, wordAfter: true, keepFirst: true},
	{pattern: regexp.MustCompile(`(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])`), token: `{{date}}`, badBefore: "-.", wordBefore: true, badAfter: digits + "-"},
	{pattern: regexp.MustCompile(`(?:[0-9]{4} ?年 ?)?[0-9]{1,2} ?月 ?[0-9]{1,2} ?日`), token: `{{date}}`, badBefore: digits},
	{pattern: regexp.MustCompile(english + ` [0-9]{1,2}(?:, [0-9]{4})?`), token: `{{date}}`, wordBefore: true, wordAfter: true},
	{pattern: regexp.MustCompile(monthDay + `/(?:[0-9]{4}|[0-9]{2})`), token: `{{date}}`, badBefore: "/.:_-", wordBefore: true, badAfter: "/_-", wordAfter: true},
	{pattern: regexp.MustCompile(monthDay + `(,? [0-9]{1,2}:[0-9]{2})`), token: `{{date}}`, badBefore: "/.:_-", wordBefore: true, badAfter: digits},
	{
		pattern: regexp.MustCompile(`(?:(?:上午|下午|凌晨|中午|晚上) ?)?(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?:[ \x{202f}\x{00a0}]?[AaPp]\.?[Mm]\b\.?)?(Z)?`),
		token:   `{{clock}}`, badBefore: digits + ":.", badAfter: ":", wordAfter: true,
	},
	{pattern: regexp.MustCompile(englishDuration), token: `{{duration}}`, badBefore: "._~/-", wordBefore: true, badAfter: "_/-", wordAfter: true},
	{
		pattern: regexp.MustCompile(`(?:` + amount + ` ?(?:小时|分钟|分|秒钟|秒|毫秒) ?)*` + amount + ` ?(?:小时|分钟|分|秒钟|秒|毫秒)`),
		token:   `{{duration}}`, badBefore: digits + ".约",
	},
}

func (r rule) replace(text string) string {
	var b strings.Builder
	done := 0
	for _, at := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
		start, end := at[0], at[1]
		before, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(text[:start], " "))
		if before != '约' {
			before, _ = utf8.DecodeLastRuneInString(text[:start])
		}
		after, _ := utf8.DecodeRuneInString(text[end:])
		if start > 0 && (strings.ContainsRune(r.badBefore, before) || r.wordBefore && isWord(before)) {
			continue
		}
		if end < len(text) && (strings.ContainsRune(r.badAfter, after) || r.wordAfter && isWord(after)) {
			continue
		}
		kept := ""
		if len(at) > 2 && at[2] >= 0 {
			kept = text[at[2]:at[3]]
		}
		b.WriteString(text[done:start])
		if r.keepFirst {
			b.WriteString(kept + r.token)
		} else {
			b.WriteString(r.token + kept)
		}
		done = end
	}
	return b.String() + text[done:]
}

func isWord(r rune) bool {
	return unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.Is(unicode.Han, r)
}

// String normalises one text.
func (n Normaliser) String(text string) string {
	literals := slices.Clone(n.Literals)
	slices.SortStableFunc(literals, func(a, b Literal) int { return len(b.Text) - len(a.Text) })
	for _, literal := range literals {
		switch {
		case literal.Text == "":
		case literal.Word:
			text = replaceWord(text, literal.Text, literal.Token)
		default:
			text = strings.ReplaceAll(text, literal.Text, literal.Token)
		}
	}
	// A token may end what stood in the way of a rule ("0d0秒" holds no duration of English before it is "0d{{duration}}"), so the
	// rules run until they find nothing. They end: each replacement takes digits away, and tokens bring none.
	for {
		before := text
		for _, r := range rules {
			text = r.replace(text)
		}
		if text == before {
			return text
		}
	}
}

// Tree normalises every string of the tree.
func (n Normaliser) Tree(tree aria.Tree) aria.Tree { return tree.Map(n.String) }

// replaceWord replaces the occurrences that are not part of a longer word.
func replaceWord(text, word, token string) string {
	var b strings.Builder
	done := 0 // everything before is written
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !inWord(before)) && (end == len(text) || !inWord(after)) {
			b.WriteString(text[done:start] + token)
			done = end
		}
		from = end
	}
	return b.String() + text[done:]
}

func inWord(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
