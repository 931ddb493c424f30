package search_test

import (
	"encoding/json"
	"fmt"
	"time"

	"keylane/scaffold"
)

// said is a stored session of one turn.
type said struct{ id, title, prompt, answer string }

// kept are the sessions on disk, the last active first. Their times are to come, so that every one was active "now" whenever this runs.
var kept = []said{
	{"session-locks", "Canal locks", "How does a lock keep a boat level?", "The gates close, then the paddles open and the chamber fills."},
	{"session-index", "全文索引", "怎么给会话建索引？", "用 SQLite 的全文表，每个汉字一个词，标题不在其中。"},
	{"session-breakfast", "Breakfast", "Where is the café?", "Beside the canal, a few steps before you reach the upper GATES of the old lock, where boats wait for the level to rise and everybody has time for a second cup. " +
		"It opens at seven, closes in the afternoon, and the bread is baked next door by two sisters who have done so for longer than anybody can remember."},
	{"session-hostile", "<b>Markup</b>", "What does <img src=x onerror=alert(1)> do?", "Nothing here: <b>gates</b> stays text."},
}

// crowd are more sessions than an answer has.
func crowd() []said {
	var all []said
	for i := range 21 {
		all = append(all, said{fmt.Sprintf("session-crowd-%02d", i), fmt.Sprintf("Note %02d", i+1), "A ferry crosses.", fmt.Sprintf("Crossing %02d.", i+1)})
	}
	return all
}

func seeds() []scaffold.Seed {
	at := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	var all []scaffold.Seed
	for i, s := range append(append([]said{}, kept...), crowd()...) {
		all = append(all, scaffold.Seed{SessionID: s.id, Log: s.log(), LastActivity: at.Add(-time.Duration(i) * time.Minute)})
	}
	return all
}

func (s said) log() []byte {
	quoted := func(text string) string {
		out, _ := json.Marshal(text) // of a text
		return string(out)
	}
	return fmt.Appendf(nil, `{"type":"session","version":0,"id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}","delegationDepth":0}
{"type":"turn/start","data":{"turn":1}}
{"type":"step/start","data":{"turn":1,"step":1}}
{"type":"user/message","data":{"id":"m1","role":"user","content":[{"type":"text","text":%s}],"source":{"kind":"user","rpcId":"{{rpcId}}"}},"surfaceOp":"append"}
{"type":"session/title","data":{"title":%s,"messageSeqs":[2],"source":{"kind":"user"}}}
{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"m2","role":"assistant","content":[{"type":"text","text":%s}],"source":{"kind":"model","provider":"deepseek","model":"deepseek-v4-flash"}}},"surfaceOp":"append","sourceEventSeqs":[]}
{"type":"step/end","data":{"turn":1,"step":1}}
{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}
`, quoted(s.prompt), quoted(s.title), quoted(s.answer))
}
