package replay

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"keylane/host/llm"
	"keylane/host/llm/recorded"
	"keylane/host/session"
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

// overriding is an override file as parsed.
type overriding struct {
	parser  *overrideParser
	entries []entry
	order   []*yaml.Node // the names under bind
}

// readOverride reads an override file; a path of "" is a file that overrides nothing.
func readOverride(path string) (*overriding, error) {
	if path == "" {
		return &overriding{parser: &overrideParser{}}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("replay: reading the override: %w", err)
	}
	return parseOverride(path, data)
}

// lay puts the entries over the turn script of the main session. They are measured against the recorded length, so there is exactly one
// place to append: at that length.
func (o *overriding) lay(main *recording) error {
	p := o.parser
	if len(o.entries) == 0 {
		return nil
	}
	turns := main.scripts[llm.PurposeTurn]
	if turns == nil {
		turns = &script{}
		main.scripts[llm.PurposeTurn] = turns
	}
	length := len(turns.calls)
	for _, e := range o.entries {
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

// bind gives the named sessions their places among those that begin alike.
func (o *overriding) bind(recordings []*recording) error {
	named := make([]*recording, len(o.order))
	for i, node := range o.order {
		for _, each := range recordings {
			if each.name == node.Value {
				named[i] = each
			}
		}
		switch {
		case named[i] == nil:
			return o.parser.Fail(node, "no recorded session of the fixture that asked models is called %q; there are: %s", node.Value, names(recordings))
		case named[i].place > 0:
			return o.parser.Fail(node, "%s is named twice", node.Value)
		}
		named[i].place = i + 1
	}
	for i, each := range named {
		if !slices.ContainsFunc(named, func(other *recording) bool { return other != each && other.alike(each) }) {
			return o.parser.Fail(o.order[i], "no other session named here begins like %s, so there is nothing to decide about it", each.name)
		}
	}
	return nil
}

func names(recordings []*recording) string {
	var all []string
	for _, each := range recordings {
		all = append(all, each.name)
	}
	return strings.Join(all, ", ")
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
