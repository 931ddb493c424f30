package session

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"
)

// Generators of valid logs, for the properties.

// jsonStrings are raw JSON strings, among them ones that no Go string can hold.
var jsonStrings = rapid.Custom(func(t *rapid.T) string {
	if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
		return rapid.SampledFrom([]string{`""`, `"\ud83d"`, `"\ude00x"`, `"\u0000"`, `"<&>"`, `"\\\""`, `"\u2028"`, `"😀"`}).Draw(t, "special")
	}
	text, err := marshalPlain(rapid.String().Draw(t, "text"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
})

// chunkData is the data of a chunk in the canonical form that packs, or in another that does not.
func chunkData(t *rapid.T, turn, step, index int, kind string) json.RawMessage {
	fragment := jsonStrings.Draw(t, "fragment")
	switch kind {
	case "text", "reasoning":
		return fmt.Appendf(nil, `{"turn":%d,"step":%d,"chunk":{"type":"%s-delta","index":%d,"text":%s}}`, turn, step, kind, index, fragment)
	case "tool":
		return fmt.Appendf(nil, `{"turn":%d,"step":%d,"chunk":{"type":"tool-call-delta","index":%d,"id":"call","name":"bash","argumentsDelta":%s}}`,
			turn, step, index, fragment)
	case "other":
		return fmt.Appendf(nil, `{"turn":%d,"step":%d,"chunk":{"type":"tool-call-delta","index":%d,"id":"call","name":"read","argumentsDelta":%s}}`,
			turn, step, index, fragment)
	case "nameless":
		return fmt.Appendf(nil, `{"turn":%d,"step":%d,"chunk":{"type":"tool-call-delta","index":%d,"id":"call","argumentsDelta":%s}}`, turn, step, index, fragment)
	case "spaced":
		return fmt.Appendf(nil, `{"turn":%d, "step":%d,"chunk":{"type":"text-delta","index":%d,"text":%s}}`, turn, step, index, fragment)
	}
	return fmt.Appendf(nil, `{"turn":%d,"step":%d,"chunk":{"type":"block-start","index":%d,"blockType":"text"}}`, turn, step, index)
}

// logs are valid event sequences in any order of types.
var logs = rapid.Custom(func(t *rapid.T) []Event {
	var events []Event
	time := rapid.Int64Range(0, 1<<41).Draw(t, "start")
	add := func(e Event) {
		time += rapid.Int64Range(-3, 500).Draw(t, "gap")
		e.Seq, e.Time = int64(len(events)), time
		events = append(events, e)
	}
	for range rapid.IntRange(0, 12).Draw(t, "pieces") {
		switch rapid.IntRange(0, 4).Draw(t, "piece") {
		case 0:
			kind := rapid.SampledFrom([]string{"text", "reasoning", "tool", "other", "nameless", "spaced", "start"}).Draw(t, "kind")
			turn, step, index := rapid.IntRange(1, 2).Draw(t, "turn"), rapid.IntRange(1, 2).Draw(t, "step"), rapid.IntRange(0, 1).Draw(t, "index")
			for range rapid.IntRange(1, 6).Draw(t, "run") {
				add(Event{Type: TypeAssistantChunk, Data: chunkData(t, turn, step, index, kind)})
			}
		case 1:
			add(userEvent(fmt.Sprint("m", len(events)), rapid.String().Draw(t, "prompt")))
		case 2:
			e := Event{Type: TypeAssistantMessage, SurfaceOp: &SurfaceOp{}, Data: encode(AssistantMessage{Turn: 1, Step: 1, Message: Message{
				ID: fmt.Sprint("m", len(events)), Role: RoleAssistant, Source: Source{Kind: SourceModel, Provider: "p", Model: "m"},
				Content: rapid.SliceOfN(blocks, 0, 3).Draw(t, "blocks"),
			}})}
			if rapid.Bool().Draw(t, "cites") {
				e.HasSources, e.SourceEventSeqs = true, []int64{}
				for seq := range events {
					if rapid.Bool().Draw(t, "cited") {
						e.SourceEventSeqs = append(e.SourceEventSeqs, int64(seq))
					}
				}
			}
			add(e)
		case 3:
			add(Event{Type: "plugin/unknown", Data: json.RawMessage(`{"n":12345678901234567890,"deep":[[{"a":` + jsonStrings.Draw(t, "value") + `}]]}`),
				Ignorable: rapid.Bool().Draw(t, "ignorable")})
		case 4:
			add(Event{Type: rapid.SampledFrom([]string{TypeTurnStart, TypeTurnEnd, TypeStepStart, TypeStepEnd}).Draw(t, "boundary"),
				Data: json.RawMessage(`{"turn":1,"step":1,"reason":{"kind":"completed"}}`)})
		}
	}
	return events
})

var blocks = rapid.Custom(func(t *rapid.T) Block {
	switch rapid.IntRange(0, 3).Draw(t, "type") {
	case 0:
		return Block{Type: BlockText, Text: rapid.String().Draw(t, "text")}
	case 1:
		return Block{Type: BlockReasoning, Text: rapid.String().Draw(t, "text")}
	case 2:
		return Block{Type: BlockToolCall, ID: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id"), Name: "bash", Arguments: rapid.String().Draw(t, "arguments")}
	}
	return Block{Type: "hologram", Extra: map[string]json.RawMessage{"size": json.RawMessage(`3`)}}
})

func encode(value any) json.RawMessage {
	text, err := marshalPlain(value)
	if err != nil {
		panic(err)
	}
	return text
}

func userEvent(id, text string) Event {
	return Event{Type: TypeUserMessage, SurfaceOp: &SurfaceOp{}, Data: encode(Message{
		ID: id, Role: RoleUser, Source: Source{Kind: SourceUser, RPCID: "r"}, Content: []Block{{Type: BlockText, Text: text}},
	})}
}

// sequence numbers events and gives them times.
func sequence(events ...Event) []Event {
	for i := range events {
		events[i].Seq, events[i].Time = int64(i), int64(1000+i)
	}
	return events
}

func event(typ, data string) Event { return Event{Type: typ, Data: json.RawMessage(data)} }

var testHeader = Header{ID: "s", CreatedAt: 1000, Cwd: "/srv/w"}
