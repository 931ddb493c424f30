package session

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := logs.Draw(t, "log")
		o := WriteOptions{Pack: rapid.Bool().Draw(t, "pack"), Project: rapid.Bool().Draw(t, "project")}
		var text bytes.Buffer
		if err := Write(&text, testHeader, events, o); err != nil {
			t.Fatal(err)
		}
		header, got, err := Read(bytes.NewReader(text.Bytes()), ReadOptions{Lenient: o.Project})
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		want := events
		if o.Project {
			want = append([]Event{}, events...)
			for i := range want {
				want[i].Time = 0
			}
		}
		if header != testHeader {
			t.Fatalf("header %+v", header)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", diff, text.String())
		}
	})
}

func TestPackingAtAnyBatchBorderReadsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := logs.Draw(t, "log")
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		var rows []byte
		for _, batch := range [][]Event{events[:cut], events[cut:]} {
			var err error
			if rows, err = AppendRows(rows, batch, WriteOptions{Pack: true}); err != nil {
				t.Fatal(err)
			}
		}
		var got []Event
		for line := range bytes.Lines(rows) {
			decoded, err := DecodeRow(bytes.TrimSuffix(line, []byte{'\n'}), int64(len(got)), ReadOptions{})
			if err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			got = append(got, decoded...)
		}
		if diff := cmp.Diff(events, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestThreeChunksOfABlockBecomeOneRowAndTwoDoNot(t *testing.T) {
	chunk := func(text string) Event {
		return event(TypeAssistantChunk, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"`+text+`"}}`)
	}
	two, err := AppendRows(nil, sequence(chunk("a"), chunk("b")), WriteOptions{Pack: true})
	if err != nil || bytes.Contains(two, []byte("text-chunks")) {
		t.Errorf("two chunks were packed: %s %v", two, err)
	}
	three, err := AppendRows(nil, sequence(chunk("a"), chunk("b"), chunk(`\ud83d`)), WriteOptions{Pack: true})
	want := `{"type":"text-chunks","seq0":0,"time0":1000,"data":{"turn":1,"step":1,"index":0,"dt":[1,1],"texts":["a","b","\ud83d"]}}` + "\n"
	if err != nil || string(three) != want {
		t.Errorf("got  %swant %s%v", three, want, err)
	}
}

func TestChunksOfDifferentCallsDoNotShareARow(t *testing.T) {
	chunk := func(id, name string) Event {
		return event(TypeAssistantChunk, `{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"`+id+`","name":"`+name+`","argumentsDelta":"x"}}`)
	}
	for name, other := range map[string]Event{"another id": chunk("b", "bash"), "another name": chunk("a", "read")} {
		events := sequence(chunk("a", "bash"), chunk("a", "bash"), chunk("a", "bash"), other)
		rows, err := AppendRows(nil, events, WriteOptions{Pack: true})
		if err != nil || bytes.Count(rows, []byte("\n")) != 2 {
			t.Errorf("%s: %s %v", name, rows, err)
		}
	}
}

func TestARunningTimeOutOfRangeIsAMalformedRow(t *testing.T) {
	row := `{"type":"text-chunks","seq0":0,"time0":9007199254740991,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}}`
	if _, err := DecodeRow([]byte(row), 0, ReadOptions{}); err == nil {
		t.Error("accepted")
	}
}

const headerLine = `{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/w","delegationDepth":0}`

func TestReadNamesTheLineOfWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {"", "line 1: the log is empty"},
		"no header":          {`{"type":"turn/start","seq":0,"time":0,"data":{}}`, "line 1: session: header: not a session header"},
		"newer version":      {`{"type":"session","version":1}`, "upgrade keylane"},
		"version missing":    {`{"type":"session","id":"s","createdAt":5,"delegationDepth":0}`, "version is missing"},
		"depth missing":      {`{"type":"session","version":0,"id":"s","createdAt":5}`, "delegationDepth is missing"},
		"relative cwd":       {`{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"w","delegationDepth":0}`, "not an absolute path"},
		"negative time":      {`{"type":"session","version":0,"id":"s","createdAt":-5,"delegationDepth":0}`, "createdAt"},
		"foreign origin":     {`{"type":"session","version":0,"id":"s","createdAt":5,"origin":"x","delegationDepth":0}`, "origin"},
		"not JSON":           {headerLine + "\n\n{", "line 3: "},
		"unknown key":        {headerLine + "\n" + `{"type":"x","seq":0,"time":0,"data":{},"extra":1}`, `line 2: session: invalid event envelope: "extra"`},
		"no data":            {headerLine + "\n" + `{"type":"x","seq":0,"time":0}`, "data is missing"},
		"no seq":             {headerLine + "\n" + `{"type":"x","data":1}`, "seq and time are missing"},
		"seq without time":   {headerLine + "\n" + `{"type":"x","seq":0,"data":1}`, "only one of seq and time"},
		"ignorable false":    {headerLine + "\n" + `{"type":"x","seq":0,"time":0,"data":1,"ignorable":false}`, "is not true"},
		"negative seq":       {headerLine + "\n" + `{"type":"x","seq":-1,"time":0,"data":1}`, "negative"},
		"fractional seq":     {headerLine + "\n" + `{"type":"x","seq":0.5,"time":0,"data":1}`, "not a safe integer"},
		"gap":                {headerLine + "\n" + `{"type":"x","seq":1,"time":0,"data":1}`, "stands at index 0"},
		"duplicate key":      {headerLine + "\n" + `{"type":"x","seq":0,"time":0,"data":{"a":1,"\u0061":2}}`, `"a" twice`},
		"minus zero":         {headerLine + "\n" + `{"type":"x","seq":0,"time":0,"data":-0.0}`, "-0"},
		"infinite":           {headerLine + "\n" + `{"type":"x","seq":0,"time":0,"data":1e400}`, "too large"},
		"packed arity":       {headerLine + "\n" + `{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a","b"]}}`, "malformed text-chunks storage row"},
		"packed empty":       {headerLine + "\n" + `{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":[]}}`, "texts is missing or empty"},
		"packed no dt":       {headerLine + "\n" + `{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"texts":["a"]}}`, "dt is missing"},
		"packed number":      {headerLine + "\n" + `{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":[1]}}`, "not a string"},
		"packed extra":       {headerLine + "\n" + `{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"],"id":"x"}}`, `"id": is not a key`},
		"packed envelope":    {headerLine + "\n" + `{"type":"text-chunks","seq0":0,"time0":0,"x":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}`, `"x": is not a key`},
		"packed no id":       {headerLine + "\n" + `{"type":"tool-call-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[],"args":["a"]}}`, "id is missing"},
		"packed overflow":    {headerLine + "\n" + `{"type":"text-chunks","seq0":0,"time0":9007199254740991,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}}`, "out of range"},
		"packed unplaced":    {headerLine + "\n" + `{"type":"text-chunks","data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}`, "seq0 and time0 are missing"},
		"surface on a turn":  {headerLine + "\n" + `{"type":"turn/start","seq":0,"time":0,"data":{},"surfaceOp":"append"}`, "only messages may carry"},
		"message off it":     {headerLine + "\n" + `{"type":"user/message","seq":0,"time":0,"data":{"id":"a","role":"user","content":[],"source":{"kind":"user"}}}`, "surfaceOp is missing"},
		"surface op unknown": {headerLine + "\n" + `{"type":"user/message","seq":0,"time":0,"data":{},"surfaceOp":{"op":"replace","start":0,"end":0,"x":1}}`, "unknown key"},
		"surface op short":   {headerLine + "\n" + `{"type":"user/message","seq":0,"time":0,"data":{},"surfaceOp":{"op":"replace","start":0}}`, "must have op, start and end"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Read(strings.NewReader(c.text), ReadOptions{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestALenientReaderTakesFixtures(t *testing.T) {
	text := `{"type":"session","id":"{{sessionId}}","createdAt":0,"cwd":"{{cwd}}"}` + "\r\n" +
		`{"type":"turn/start","data":{"turn":1}}` + "\r\n\r\n" +
		`{"type":"text-chunks","data":{"turn":1,"step":1,"index":0,"dt":[5,5],"texts":["a","b","c"]}}` + "\r\n" +
		`{"type":"user/message","data":{"content":[],"source":{"kind":"user"}},"sourceEventSeqs":[9],"surfaceOp":"append"}`
	var notices []string
	header, events, err := Read(strings.NewReader(text), ReadOptions{Lenient: true, Notice: func(line int, change string) {
		notices = append(notices, change)
		if line != 5 {
			t.Errorf("notice for line %d", line)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if header.Cwd != "{{cwd}}" || len(events) != 5 || events[4].Seq != 4 || events[3].Time != 0 || events[4].HasSources || len(notices) != 1 {
		t.Errorf("got %+v, %+v, notices %q", header, events, notices)
	}
}

func TestALenientReaderClosesUpGapsAndMovesReferences(t *testing.T) {
	message := `"data":{"content":[],"source":{"kind":"user"}}`
	text := headerLine + "\n" +
		`{"type":"user/message","seq":3,"time":7,` + message + `,"surfaceOp":"append"}` + "\n" +
		`{"type":"user/message","seq":8,"time":7,` + message + `,"sourceEventSeqs":[3],"surfaceOp":{"op":"replace","start":3,"end":3}}` + "\n"
	_, events, err := Read(strings.NewReader(text), ReadOptions{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if *events[1].SurfaceOp != (SurfaceOp{Replace: true}) || events[1].SourceEventSeqs[0] != 0 {
		t.Errorf("got %+v", events[1])
	}
	for name, text := range map[string]string{
		"falling seqs": headerLine + "\n" + `{"type":"x","seq":3,"time":0,"data":1}` + "\n" + `{"type":"x","seq":3,"time":0,"data":1}`,
		"mixed rows":   headerLine + "\n" + `{"type":"x","seq":0,"time":0,"data":1}` + "\n" + `{"type":"x","data":1}`,
		"lost target":  headerLine + "\n" + `{"type":"user/message","seq":3,"time":7,` + message + `,"surfaceOp":{"op":"replace","start":1,"end":1}}`,
	} {
		if _, _, err := Read(strings.NewReader(text), ReadOptions{Lenient: true}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestALineMayBeOfAnyLength(t *testing.T) {
	long := strings.Repeat("long ", 1<<20)
	var text bytes.Buffer
	if err := Write(&text, testHeader, sequence(userEvent("a", long)), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, events, err := Read(&text, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if message, _, err := MessageOf(events[0]); err != nil || message.Text() != long {
		t.Errorf("%d bytes came back: %v", len(message.Text()), err)
	}
}

func TestWhatCouldNotBeReadIsNotWritten(t *testing.T) {
	for name, e := range map[string]Event{
		"reserved type":  event("text-chunks", `{}`),
		"no type":        event("", `{}`),
		"no data":        {Type: "x"},
		"not JSON":       event("x", `{`),
		"minus zero":     event("x", `-0`),
		"too deep":       event("x", strings.Repeat("[", MaxDepth+1)+strings.Repeat("]", MaxDepth+1)),
		"impossible seq": {Type: "x", Data: []byte("1"), Time: 1 << 60},
	} {
		if rows, err := AppendRows(nil, []Event{e}, WriteOptions{}); err == nil {
			t.Errorf("%s: written as %s", name, rows)
		}
	}
	deep := event("x", strings.Repeat("[", MaxDepth)+strings.Repeat("]", MaxDepth))
	row, err := AppendRows(nil, []Event{deep}, WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeRow(bytes.TrimSpace(row), 0, ReadOptions{}); err != nil {
		t.Errorf("the deepest data that is written is not read: %v", err)
	}
}

func TestDataOfSeveralLinesIsStillOneRow(t *testing.T) {
	row, err := AppendRows(nil, sequence(event("x", "{\n\t\"a\": 1\r\n}")), WriteOptions{})
	if err != nil || bytes.Count(row, []byte("\n")) != 1 {
		t.Errorf("got %q, %v", row, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(headerLine+"\n"+`{"type":"text-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"dt":[1,-1],"texts":["a","\ud83d","c"]}}`, false)
	f.Add(headerLine+"\n"+`{"type":"user/message","data":{"content":[],"source":{"kind":"user"}},"surfaceOp":"append"}`, true)
	f.Add(headerLine+"\n"+`{"type":"x","seq":3,"time":0,"data":1}`, true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		header, events, err := Read(strings.NewReader(text), ReadOptions{Lenient: lenient})
		if err != nil {
			return
		}
		if err := Validate(events); err != nil {
			t.Fatalf("read a log that is none: %v", err)
		}
		var written bytes.Buffer
		if err := Write(&written, header, events, WriteOptions{Pack: true}); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, same, err := Read(&written, ReadOptions{Lenient: lenient})
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(events, same, cmpopts.EquateEmpty()); again != header || diff != "" {
			t.Fatalf("header %+v became %+v; events: %s", header, again, diff)
		}
		Project(header, events)
		if closed := append(events, Repair(header, events)...); Validate(closed) != nil || Repair(header, closed) != nil {
			t.Fatalf("repair did not close the log: %v", Validate(closed))
		}
	})
}
