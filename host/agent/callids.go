package agent

import (
	"bytes"
	"encoding/json"
	"strconv"

	"keylane/host/llm"
	"keylane/host/session"
)

// callIDs gives every tool call of a session an id of its own. Servers number the calls of each answer anew ("call_0"), and everything that
// reads a log, a page above all, tells calls by their ids. It is the driver's alone.
type callIDs struct {
	log  *session.Log
	used map[string]bool // by calls of the log, those of failed answers included; nil until a model first calls
}

// distinct returns chunk with the id that its call has in this session. given are the ids of the answer's blocks so far.
func (c *callIDs) distinct(chunk llm.Chunk, given map[int]string) llm.Chunk {
	switch {
	case chunk.Type == llm.ChunkToolCallDelta && chunk.ID != "":
		chunk.ID = c.id(chunk.Index, chunk.ID, given)
	case chunk.Type == llm.ChunkBlockEnd && chunk.Block != nil && chunk.Block.Type == session.BlockToolCall && chunk.Block.ID != "":
		block := *chunk.Block
		block.ID = c.id(chunk.Index, block.ID, given)
		chunk.Block = &block
	}
	return chunk
}

func (c *callIDs) id(index int, proposed string, given map[int]string) string {
	if id, ok := given[index]; ok {
		return id
	}
	if c.used == nil {
		c.used = usedCallIDs(c.log)
	}
	id := proposed
	for n := 2; c.used[id]; n++ {
		id = proposed + "_" + strconv.Itoa(n)
	}
	c.used[id], given[index] = true, id
	return id
}

// usedCallIDs are the ids of all calls that a log tells of.
func usedCallIDs(log *session.Log) map[string]bool {
	used := map[string]bool{}
	for _, e := range log.Events(0, -1) {
		switch e.Type {
		case session.TypeAssistantChunk: // most are not about calls
			var data session.AssistantChunk
			var chunk llm.Chunk
			if bytes.Contains(e.Data, []byte(llm.ChunkToolCallDelta)) && json.Unmarshal(e.Data, &data) == nil && json.Unmarshal(data.Chunk, &chunk) == nil {
				used[chunk.ID] = true
			}
		case session.TypeAssistantMessage: // logs without chunks have calls as well
			message, _, err := session.MessageOf(e)
			if err != nil {
				continue // nobody else can read it either
			}
			for _, block := range message.Content {
				if block.Type == session.BlockToolCall {
					used[block.ID] = true
				}
			}
		}
	}
	return used
}
