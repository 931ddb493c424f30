package composer_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
)

// host answers session.rename and session.compact in the page, in the host's place, and keeps what was asked: this is about what the composer
// asks for, and what it says of the answer.
const host = `(() => { const ask = fetch; globalThis.asked = []; globalThis.fetch = async (...all) => {
	const method = String(all[0]).replace("/api/", "");
	if (method !== "session.rename" && method !== "session.compact") return ask(...all);
	const { rpcId, payload } = JSON.parse(all[1].body);
	asked.push(method + " " + JSON.stringify(payload));
	const result = method === "session.rename" ? { ok: true, value: { title: payload.title.toUpperCase() } }
		: { ok: false, error: { code: "compaction-unavailable", message: "There is too little to summarise.", details: {} } };
	return new Response(JSON.stringify({ type: "server-response", rpcId, result })) } })()`

func TestCommandsAreRequestsAndNoMessages(t *testing.T) {
	scaffold.OnlyReplay(t)
	log, err := os.ReadFile("../../fixtures/composer/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const id = "session-commands"
	scaffold.Run(t, scaffold.Scenario{
		Name:  "composer",
		Seeds: []scaffold.Seed{{SessionID: id, Log: log, LastActivity: time.Unix(1_800_000_000, 0)}},
		Drive: func(s *scaffold.Stage) {
			s.Open("/s/" + id)
			read[any](s, host)
			s.Click(field)
			write(s, "/title  A better name ")
			s.Press("Enter")
			s.WaitFor(chromium.CSS(".composer-notice"))
			if got := s.Text(".composer-notice"); got != "This session is now called “A BETTER NAME”." {
				s.Errorf("it says %q", got)
			}
			wantDraft(s, "after a title", "")

			write(s, "/comp")
			s.WaitFor(commands)
			s.Press("Enter")
			s.WaitFor(chromium.AnyName("alert"))
			if got := s.Text(".composer-problem"); !strings.Contains(got, "There is too little to summarise.") || !strings.Contains(got, "compaction-unavailable") {
				s.Errorf("it says %q", got)
			}
			wantDraft(s, "after a refusal", "/comp")
			empty(s)
			write(s, "/compact the files")
			s.Press("Enter")
			wantDraft(s, "after a command with too much behind it", "/compact the files")
			want := `session.rename {"sessionId":"` + id + `","title":"A better name"}; session.compact {"sessionId":"` + id + `"}`
			if got := read[string](s, `asked.join("; ")`); got != want {
				s.Errorf("it asked\n%s\nwant\n%s", got, want)
			}
		},
	})
}
