package history_test

import (
	"encoding/json"
	"testing"

	"keylane/host/session"
	"keylane/seed"
)

// everything is a session with every kind of row that this page has, each in the state in which a log can leave it.
func everything(t *testing.T) []byte {
	t.Helper()
	d := seed.NewDraft()
	told(d)
	tools(d)
	decided(d)
	retried(d)
	ended(d)
	compacted(d)
	foreign(d)
	return text(t, d)
}

func text(t *testing.T, d *seed.Draft) []byte {
	t.Helper()
	log, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// told is a turn with what the host adds by itself, reasoning and markdown.
func told(d *seed.Draft) {
	d.Prompt("Tell me what you know about locks.\n\nBoth <b>kinds</b>.")
	d.Says(session.Source{Kind: "workspace-instructions"}, "Answer briefly.")
	d.Says(session.Source{Kind: "skill-catalog"}, "- locks: how to open one")
	d.Says(session.Source{Kind: "runtime-context"}, "The folder is a git repository.")
	d.Says(session.Source{Kind: session.SourcePlugin, Plugin: "hooks"}, "A hook has something to say.")
	d.Add("session/title", map[string]any{"title": "Every kind of row", "messageSeqs": []int{2}, "source": map[string]any{"kind": "user"}}, false)
	d.Answer([]session.Block{
		{Type: session.BlockReasoning, Text: "There are **two** kinds.\n\nOne is for boats."},
		{Type: session.BlockText, Text: "# Locks\n\nA lock is\n\n1. a *gate* for boats, or\n2. a `Mutex`:\n\n```go\nmu.Lock()\n```\n\n| kind | opens |\n|---|---|\n| gate | slowly |\n"},
	})
	d.End(completed)
}

// tools is a turn with every tool that ships, and how each can fail.
func tools(d *seed.Draft) {
	d.Prompt("Use all of your tools.")
	d.Step("First the shell.",
		seed.Call{Name: "bash", Arguments: `{"command":"echo one","description":"Print a word"}`, Result: "one\n",
			Meta: object{"card": "terminal", "command": "echo one", "cwd": "/srv", "description": "Print a word", "exitCode": 0}},
		seed.Call{Name: "bash", Arguments: `{"command":"false"}`, Result: "[no output]\n[exit code: 1]",
			Meta: object{"card": "terminal", "command": "false", "cwd": "/srv", "exitCode": 1}})
	d.Step("Then files.",
		seed.Call{Name: "write", Arguments: `{"file_path":"a.txt","content":"one\ntwo\n"}`, Result: "Created a.txt: 2 lines, 8 bytes.",
			Meta: object{"card": "diff", "path": "a.txt", "action": "created", "added": 2, "removed": 0, "hunks": hunks("+one", "+two")}},
		seed.Call{Name: "read", Arguments: `{"file_path":"a.txt"}`, Result: "1\tone\n2\ttwo\n[end of file, 2 lines]",
			Meta: object{"card": "file", "path": "a.txt", "firstLine": 1, "lastLine": 2, "totalLines": 2, "content": "one\ntwo\n"}},
		seed.Call{Name: "edit", Arguments: `{"file_path":"a.txt","old_string":"two","new_string":"2"}`, Result: "Edited a.txt: 1 replacement, in line 2.",
			Meta: object{"card": "diff", "path": "a.txt", "action": "edited", "added": 1, "removed": 1, "hunks": hunks(" one", "-two", "+2")}},
		seed.Call{Name: "read", Arguments: `{"file_path":"b.txt"}`, Result: "Error: b.txt does not exist. Use glob to see what there is.", Failed: true, Code: "FILE_NOT_FOUND"})
	d.Step("",
		seed.Call{Name: "glob", Arguments: `{"pattern":"*.txt"}`, Result: "a.txt\n[1 file]", Meta: object{"card": "search", "pattern": "*.txt", "path": ".", "matches": 1}},
		seed.Call{Name: "grep", Arguments: `{"pattern":"one"}`, Result: "a.txt:1:one\n[1 line]", Meta: object{"card": "search", "pattern": "one", "path": ".", "matches": 1}},
		seed.Call{Name: "todo_write", Arguments: `{"todos":[{"content":"Look","status":"completed"},{"content":"Leap","status":"pending"}]}`, Result: "The list has 2 entries.",
			Meta: object{"card": "todos", "todos": []object{{"content": "Look", "status": "completed"}, {"content": "Leap", "status": "pending"}}}},
		seed.Call{Name: "skill", Arguments: `{"name":"locks"}`, Result: "# Locks\n\nTurn the key.", Meta: object{"card": "skill", "name": "locks", "files": []string{}}})
	questions := []object{{"id": "q", "question": "Which lock?", "options": []object{{"label": "Left"}, {"label": "Right"}}}}
	asked := `{"questions":[{"id":"q","question":"Which lock?","options":[{"label":"Left"},{"label":"Right"}]}]}`
	d.Step("",
		seed.Call{Name: "ask_user_question", Arguments: asked, Result: `{"answers":[{"id":"q","selected":["Left"],"custom":"the old one"}]}`,
			Meta: object{"card": "question", "outcome": "answered", "questions": questions, "answers": []object{{"id": "q", "selected": []string{"Left"}, "custom": "the old one"}}}},
		seed.Call{Name: "ask_user_question", Arguments: asked, Result: "Error: the person dismissed the questions without an answer.", Failed: true, Code: "ASK_CANCELLED",
			Meta: object{"card": "question", "outcome": "dismissed", "questions": questions}},
		seed.Call{Name: "fetch_page", Arguments: `{"url":"https://example.test/"}`, Result: "Error: there is no tool fetch_page.", Failed: true, Code: "TOOL_NOT_FOUND"})
	d.Step("All of them work.")
	d.End(completed)
}

// decided is a turn whose calls waited for leave, and were steered.
func decided(d *seed.Draft) {
	d.Prompt("Do what you may.")
	d.Step("",
		seed.Call{Name: "bash", Arguments: `{"command":"echo allowed","description":"Run with leave"}`, Result: "allowed\n", Approval: "allowed-once",
			Meta: object{"card": "terminal", "command": "echo allowed", "cwd": "/srv", "description": "Run with leave", "exitCode": 0}},
		seed.Call{Name: "bash", Arguments: `{"command":"rm -rf /","description":"Remove everything"}`, Failed: true, Code: "APPROVAL_REJECTED", Approval: "rejected",
			Result: "Error: the person rejected this call, so bash was not run."},
		seed.Call{Name: "write", Arguments: `{"file_path":"c.txt","content":"no"}`, Failed: true, Code: "READ_ONLY", Result: "Error: the session is read-only, so write was not run."})
	d.Says(session.Source{Kind: session.SourceUser, RPCID: "{{rpcId}}"}, "That is enough.")
	d.Step("Then I stop here.")
	d.End(completed)
}

// retried has a step that was made again and succeeded, and one that never did.
func retried(d *seed.Draft) {
	d.Prompt("Try hard.")
	retry(d, 1)
	d.Step("The second attempt came through.")
	d.End(completed)
	d.Prompt("Try harder.")
	retry(d, 1)
	retry(d, 2)
	d.End(session.TurnReason{Kind: session.ReasonError, Failure: &session.Failure{Code: "SERVER", Message: "the provider answered 503 Service Unavailable: overloaded", Status: 503}})
}

func retry(d *seed.Draft, number int) {
	turn, step := d.Position()
	d.Add("llm/retry", object{"retryId": "r", "turn": turn, "step": step, "provider": "deepseek", "mode": "normal", "policyKey": "llm-retry", "retry": number, "maxRetries": 2,
		"delayMs": 500, "failure": object{"code": "SERVER", "message": "the provider answered 503 Service Unavailable: overloaded", "status": 503}}, false)
	d.Add("llm/retry-started", object{"retryId": "r", "turn": turn, "step": step, "retry": number}, false)
}

// ended are turns that ended otherwise than by completing.
func ended(d *seed.Draft) {
	d.Prompt("Begin something long.")
	d.Step("This much I", // what the model had said when it was stopped
		seed.Call{Name: "bash", Arguments: `{"command":"sleep 600","description":"Sleep"}`, Result: "[killed by signal: SIGTERM]\n[aborted]", Failed: true, Code: "TOOL_ABORTED",
			Meta: object{"card": "terminal", "command": "sleep 600", "cwd": "/srv", "description": "Sleep", "exitCode": nil, "signal": "SIGTERM"}},
		seed.Call{Name: "bash", Arguments: `{"command":"echo never","description":"Never run"}`, Result: "Error: tool call aborted before dispatch", Failed: true, Code: "TOOL_ABORTED_BEFORE_DISPATCH"})
	d.End(session.TurnReason{Kind: session.ReasonAborted, Abort: "user"})

	d.Prompt("Say very much.")
	d.Step("I have said very")
	d.End(session.TurnReason{Kind: session.ReasonMaxTokens})

	d.Prompt("May I?")
	d.End(object{"kind": "blocked"})

	d.Prompt("Go on until the power fails.")
	d.Step("", seed.Call{Name: "bash", Arguments: `{"command":"sync","description":"Write all to disk"}`, Failed: true, Code: "TOOL_OUTCOME_UNKNOWN", Result: "Error: keylane ended while this ran."})
	d.End(session.TurnReason{Kind: session.ReasonInterrupted})
}

// compacted is a turn before which the history made room for a summary, after it could not.
func compacted(d *seed.Draft) {
	d.Prompt("What have we done so far?")
	turn, _ := d.Position()
	d.Add("compaction/start", object{"compactionId": "c1", "turn": turn}, false)
	d.Add("compaction/end", object{"compactionId": "c1", "turn": turn, "error": object{"code": "EMPTY_RESPONSE", "message": "the model said nothing"}}, false)
	d.Add("compaction/start", object{"compactionId": "c2", "turn": turn}, false)
	d.Add("compaction/summary", object{"compactionId": "c2", "summary": []object{{"type": "text", "text": "- We spoke about **locks**."}}}, false)
	d.Add("compaction/end", object{"compactionId": "c2", "turn": turn}, false)
	d.Step("We spoke about locks.")
	d.End(completed)
}

// foreign is a turn with events of a version or a plugin that this page does not know.
func foreign(d *seed.Draft) {
	d.Prompt("Make a plan.")
	d.Add("plan/mode", object{"active": true}, false)
	d.Step("The plan is to stop.")
	d.End(completed)
}

type object = map[string]any

var completed = session.TurnReason{Kind: session.ReasonCompleted}

func hunks(lines ...string) []object {
	return []object{{"oldStart": 1, "newStart": 1, "lines": lines}}
}

// lines are events as older versions wrote them, one each.
func lines(t *testing.T, events ...object) []byte {
	t.Helper()
	out := []byte(`{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}"}` + "\n")
	for _, event := range events {
		line, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, line...), '\n')
	}
	return out
}
