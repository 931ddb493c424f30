package golden_test

import (
	"testing"

	"pgregory.net/rapid"

	"keylane/scaffold/aria"
	"keylane/scaffold/golden"
)

var normaliser = golden.Normaliser{Literals: []golden.Literal{
	{Text: "ws", Token: "{{workspace}}", Word: true},
	{Text: "/tmp/run-1", Token: "{{home}}"},
	{Text: "/tmp/run-1/ws", Token: "{{cwd}}"},
	{Text: "", Token: "{{never}}"},
}}

func TestNormalisingReplacesWhatDiffersFromRunToRun(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"the longest literal wins", "in /tmp/run-1/ws/a and /tmp/run-1/b", "in {{cwd}}/a and {{home}}/b"},
		{"a base name as a whole word", "ws (ws) ws: \"ws\"", "{{workspace}} ({{workspace}}) {{workspace}}: \"{{workspace}}\""},
		{"a base name inside a word stays", "news wsx x-ws ws_1 汉ws", "news wsx x-ws ws_1 汉ws"},
		{"a whole word right after a part of one", "wsws ws", "wsws {{workspace}}"},
		{"a UUID", "id 0b9e3c1e-4f43-4A5e-9c37-3a1d2d5a7f10.", "id {{uuid}}."},
		{"something shorter than a UUID stays", "0b9e3c1e-4f43-4a5e-9c37-3a1d2d5a7f1", "0b9e3c1e-4f43-4a5e-9c37-3a1d2d5a7f1"},
		{"a loopback port", "http://127.0.0.1:43121/x http://localhost:1/ http://x.localhost:80 http://[::1]:8080/", "http://127.0.0.1:{{port}}/x http://localhost:{{port}}/ http://x.localhost:{{port}} http://[::1]:{{port}}/"},
		{"another host's port stays", "http://10.0.0.1:43121 example.com:80", "http://10.0.0.1:43121 example.com:80"},
		{"an ISO date", "on 2026-07-25.", "on {{date}}."},
		{"an RFC 3339 time", "2026-07-25T12:30:05.123Z", "{{date}}T{{clock}}Z"},
		{"something that only looks like a date stays", "2026-13-25 v1.2026-07-255", "2026-13-25 v1.2026-07-255"},
		{"an English date", "Jul 25, July 25, 2026 and Sept 3", "{{date}}, {{date}} and {{date}}"},
		{"a Chinese date", "2026年7月25日 7月25日", "{{date}} {{date}}"},
		{"a numeric date before a clock", "7/25 12:30", "{{date}} {{clock}}"},
		{"a numeric date with a year", "7/25/2026", "{{date}}"},
		{"a counter stays", "Retried model request (1/2)", "Retried model request (1/2)"},
		{"a path stays", "a/7/25/2026/b", "a/7/25/2026/b"},
		{"clocks", "14:05 2:05:09 PM 9:30am 00:00:00.123", "{{clock}} {{clock}} {{clock}} {{clock}}"},
		{"a Chinese clock", "上午9:30", "{{clock}}"},
		{"two clocks side by side", "14:05 14:06 14:07", "{{clock}} {{clock}} {{clock}}"},
		{"a place in a file stays", "main.go:12:30", "main.go:12:30"},
		{"a ratio that is no clock stays", "16:9 25:00 1:2:3", "16:9 25:00 1:2:3"},
		{"durations, each one token", "1.2s 368ms 2m 42s 2m42s 1h 2m 3s 1d 2h", "{{duration}} {{duration}} {{duration}} {{duration}} {{duration}} {{duration}}"},
		{"durations between words", "took 1.2s, then 368ms (2m 42s)", "took {{duration}}, then {{duration}} ({{duration}})"},
		{"Chinese durations", "用时 1.2 秒，2 分 42 秒；1 小时 2 分钟", "用时 {{duration}}，{{duration}}；{{duration}}"},
		{"approximations stay", "~3mo ~2h 约 3 分钟", "~3mo ~2h 约 3 分钟"},
		{"words with digits stay", "5star 3d-model 10sx a1s /2s", "5star 3d-model 10sx a1s /2s"},
		{"relative words stay", "now 3min ago", "now 3min ago"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := normaliser.String(c.in); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestNormalisingTwiceIsNormalisingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9 :/.,dhms年月日秒分-]{0,20}`)).Draw(t, "text")
		once := normaliser.String(text)
		if twice := normaliser.String(once); twice != once {
			t.Fatalf("%q → %q → %q", text, once, twice)
		}
	})
}

func TestTokensAreQuotedWhereTheyStand(t *testing.T) {
	tree := normaliser.Tree(aria.Tree{Nodes: []*aria.Node{{Role: "time", Name: "at 14:05", Children: []*aria.Node{{Text: "14:05"}}}}})
	got, err := aria.Print(tree)
	if want := "# aria 1\n- 'time \"at {{clock}}\"': \"{{clock}}\"\n"; err != nil || got != want {
		t.Errorf("%v %s", err, got)
	}
}
