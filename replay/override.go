package replay

import (
	"fmt"
	"os"

	"gopkg.in/yaml.v3"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
	"keylane/host/session"
	"keylane/replay/strictyaml"
)

// ending is how an overridden call ends when its chunks are given.
type ending struct {
	cut     bool             // the stream breaks without a finish
	failure *session.Failure // it fails with these facts
	hang    bool             // it waits until it is cancelled, after telling marker
	marker  string
}

// entry is one entry of an override.yml, parsed but not yet fitted to a recording.
type entry struct {
	at       int
	node     *yaml.Node // of at, for errors
	recorded bool       // the chunks are the first take ones of the recorded call, all of them when take is -1
	take     int
	chunks   []llm.Chunk // else the file's
	place    *yaml.Node  // of the chunks, for errors
	end      ending      // zero: as the chunks say
}

// override reads an override file and lays it over the turn script of the main session. It is measured against the recorded length, so
// there is exactly one place to append: at that length.
func override(path string, main *recording) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("replay: reading the override: %w", err)
	}
	return overlay(path, data, main)
}

func overlay(name string, data []byte, main *recording) error {
	p := &overrideParser{strictyaml.File{Room: "replay", Name: name}}
	entries, err := p.parse(data)
	if err != nil {
		return err
	}
	turns := main.scripts[llm.PurposeTurn]
	if turns == nil {
		turns = &script{}
		main.scripts[llm.PurposeTurn] = turns
	}
	length := len(turns.calls)
	for _, e := range entries {
		if e.at > length {
			return p.Fail(e.node, "at is %d, but %s has %d turn call(s): replace one of them, or append at exactly %d", e.at, main.name, length, length)
		}
		replaced := recorded.Call{}
		if e.at < length {
			replaced = turns.calls[e.at]
		}
		call, err := p.fit(e, replaced, e.at < length)
		if err != nil {
			return err
		}
		if e.at == length {
			turns.calls, turns.appended = append(turns.calls, call), true
		} else {
			turns.calls[e.at] = call
		}
		if turns.endings == nil {
			turns.endings = map[int]ending{}
		}
		turns.endings[e.at] = e.end
	}
	return nil
}

// fit makes the call that an entry stands for. What the call follows is what the recorded one followed; an appended call follows whatever
// it is asked.
func (p *overrideParser) fit(e entry, replaced recorded.Call, exists bool) (recorded.Call, error) {
	call := replaced
	call.Unfinished = false
	if !e.recorded {
		call.Chunks, call.Delays = e.chunks, nil
		return call, nil
	}
	if !exists {
		return call, p.Fail(e.place, "there is no recorded call at %d to take chunks from: list them", e.at)
	}
	said := replaced.Chunks
	if e.end != (ending{}) { // a call that is cut, fails or hangs has no finish of its own
		said = withoutFinish(said)
	}
	if e.take > len(said) {
		return call, p.Fail(e.place, "the recorded call %d has only %d chunk(s) before its finish", e.at, len(said))
	}
	if e.take >= 0 {
		said = said[:e.take]
	}
	if e.end == (ending{}) && (len(said) == 0 || said[len(said)-1].Type != llm.ChunkFinish) {
		return call, p.Fail(e.place, "the recorded call %d has no finish: say `cut`, or list the chunks", e.at)
	}
	call.Chunks = said
	if e.end != (ending{}) && len(call.Delays) > len(said) {
		call.Delays = call.Delays[:len(said)]
	}
	return call, nil
}

func withoutFinish(chunks []llm.Chunk) []llm.Chunk {
	if n := len(chunks); n > 0 && chunks[n-1].Type == llm.ChunkFinish {
		return chunks[:n-1]
	}
	return chunks
}
