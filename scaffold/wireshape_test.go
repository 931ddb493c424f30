package scaffold

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatTheSchemaDoesNotSayIsSeenOnTheWire(t *testing.T) {
	const page = `{"result":{"ok":true,"value":{"events":[],"hasMore":false,"projections":{"asOfSeq":0,"values":{"title":"","turns":0,"running":false,` +
		`"model":{"provider":"","model":""},"queue":[],"todos":[],"mode":"ask","steps":0,` +
		`"usage":{"inputTokens":0,"outputTokens":0},"context":{"used":0,"window":0}}}}}}`
	const fine = "id: e-1\ndata: {\"type\":\"server-request\",\"rpcId\":\"r\",\"method\":\"session/queue\",\"payload\":{\"sessionId\":\"s\",\"items\":[]}}\n\n"
	for wire, want := range map[string][]string{
		page + "\n: connected\n\n" + fine: nil,
		page + "\n" + `data: {"method":"session/queue","payload":{"sessionId":"s","items":null}}`:                 {"session/queue.items: want a list, got null"},
		page + "\n" + `data: {"method":"session/gossip","payload":{}}`:                                            {"the frame session/gossip is not in it"},
		`{"result":{"ok":true,"value":{"events":[],"projections":{"asOfSeq":0,"values":1}}}}` + "\n: connected\n": {"session.history.hasMore: want true or false, got nothing", "session.history.projections.values: want an object, got 1"},
	} {
		if diff := cmp.Diff(want, outOfShape(wire)); diff != "" {
			t.Errorf("%s: %s", wire, diff)
		}
	}
}
