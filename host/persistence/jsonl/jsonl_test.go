package jsonl

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keylane/host/clock"
	"keylane/host/persistence"
	"keylane/host/persistence/contract"
	"keylane/host/session"
)

var (
	background = context.Background()
	encodings  = []string{CompressionZstd, CompressionNone}
	testHeader = session.Header{ID: "s", CreatedAt: 5, Cwd: "/srv/project"}
)

func TestContract(t *testing.T) {
	for _, encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			for _, cache := range []string{"", "cache"} {
				contract.Run(t, func(t *testing.T) contract.Place { return newPlace(t, encoding, cache) })
			}
		})
	}
}

// newPlace is a root that is not there yet, with an index unless cache is empty.
func newPlace(t *testing.T, encoding, cache string) contract.Place {
	folder := t.TempDir()
	config := Config{Root: filepath.Join(folder, "not", "yet", "there"), Compression: encoding, PackChunks: true}
	if cache != "" {
		config.Cache = filepath.Join(folder, cache)
	}
	find := func(t *testing.T, id string) (*Store, string) {
		store := newStore(t, config.Root, encoding)
		path, err := store.find(id)
		if err != nil {
			t.Fatal(err)
		}
		return store, path
	}
	return contract.Place{
		Open: func() (persistence.Store, error) { return New(config, clock.System()) },
		Damage: func(t *testing.T, id string, seq int64) {
			store, path := find(t, id)
			content := []byte(read(t, path))
			// A byte of the piece that begins with the event; the suite appends turns of three, one piece (or three lines) each.
			at := pieceAt(t, store, path, seq)
			if store.compressed {
				at += 8 // past the frame's header
			}
			content[at] ^= 0x55
			write(t, path, content)
		},
		Tear: func(t *testing.T, id string) {
			_, path := find(t, id)
			content := read(t, path)
			write(t, path, []byte(content[:len(content)-9]))
		},
	}
}

// pieceAt is where the frame or line that begins with an event starts.
func pieceAt(t *testing.T, store *Store, path string, seq int64) int64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	at := int64(-1)
	var p *pass
	if _, err := store.whole(background, file, path, info.Size(), func(set *pass) {
		p = set
		p.keep = func(e session.Event) {
			if e.Seq == seq {
				at = p.into.End.At
			}
		}
	}); err != nil || at < 0 {
		t.Fatal(at, err)
	}
	return at
}

func newStore(t *testing.T, root, encoding string) *Store {
	t.Helper()
	store, err := New(Config{Root: root, Compression: encoding, PackChunks: true}, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(background); err != nil {
			t.Error(err)
		}
	})
	return store
}

// turn is a turn of five events, three of which pack.
func turn(from int64) []session.Event {
	texts := []string{
		`{"turn":1}`,
		`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"one"}}`,
		`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"\ud83d"}}`,
		`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"three"}}`,
		`{"turn":1,"reason":{"kind":"completed"}}`,
	}
	types := []string{session.TypeTurnStart, session.TypeAssistantChunk, session.TypeAssistantChunk, session.TypeAssistantChunk, session.TypeTurnEnd}
	var out []session.Event
	for i, text := range texts {
		out = append(out, session.Event{Type: types[i], Seq: from + int64(i), Time: 100 + from + int64(i), Data: json.RawMessage(text)})
	}
	return out
}

// store3 stores three turns in three batches and gives the file and its sizes after each batch.
func store3(t *testing.T, store *Store) (path string, sizes []int64) {
	t.Helper()
	if err := store.Create(background, testHeader); err != nil {
		t.Fatal(err)
	}
	path = store.Locate(testHeader)
	for from := int64(0); from < 15; from += 5 {
		if err := store.Append(background, "s", turn(from)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	return path, sizes
}

func TestNamesOfDirectories(t *testing.T) {
	for cwd, want := range map[string]string{
		"":                             "_no-cwd",
		"/":                            "--root--",
		"/srv/demo/ws":                 "--srv-demo-ws--",
		"/srv//demo/./ws/":             "--srv-demo-ws--",
		`/a\b:c`:                       "--a-b-c--",
		"/-a":                          "--a--",
		"/a b/ü":                       "--a~0020b-~00FC--",
		"/😀":                           "--~D83D~DE00--",
		"/~x":                          "--~007Ex--",
		"/" + strings.Repeat("a", 300): "--" + strings.Repeat("a", 251) + "--",
	} {
		if got := projectName(cwd); got != want {
			t.Errorf("project of %q is %q, want %q", cwd, got, want)
		}
	}
	for id, want := range map[string]string{"session-1": "session-1", ".": "~002E", "..": "~002E~002E", "...": "...", "a/b": "a~002Fb", "~": "~007E", "😀": "~D83D~DE00"} {
		got, err := sessionName(id)
		if err != nil || got != want {
			t.Errorf("directory of %q is %q, %v; want %q", id, got, err, want)
		}
		if back, ok := sessionID(got); !ok || back != id {
			t.Errorf("%q came back as %q", id, back)
		}
	}
	for _, name := range []string{"~00", "~00zz", "a b", "~0041"} {
		if id, ok := sessionID(name); ok {
			t.Errorf("%q stands for %q", name, id)
		}
	}
	for _, id := range []string{"", strings.Repeat("x", 256)} {
		if name, err := sessionName(id); err == nil {
			t.Errorf("id of %d bytes has the directory %q", len(id), name)
		}
	}
}

func TestFramesAreTheHeaderThenOneForEachBatch(t *testing.T) {
	store := newStore(t, t.TempDir(), CompressionZstd)
	path, sizes := store3(t, store)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var ends []int64
	for at := int64(0); at < sizes[2]; {
		next, err := scanFrame(file, at, sizes[2])
		if err != nil {
			t.Fatal(err)
		}
		at = next.end
		ends = append(ends, at)
	}
	if len(ends) != 4 || ends[1] != sizes[0] || ends[2] != sizes[1] || ends[3] != sizes[2] {
		t.Errorf("frames end at %v, batches at %v", ends, sizes)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, start := range []int64{0, ends[0], ends[1], ends[2]} {
		if content[start+4]&0x04 == 0 {
			t.Errorf("the frame at %d has no checksum", start)
		}
	}
	text, err := store.decoder.DecodeAll(content, make([]byte, 0, wholeText))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if lines[0] != `{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/srv/project","delegationDepth":0}` ||
		len(lines) != 1+3*3+1 || !strings.HasPrefix(lines[2], `{"type":"text-chunks","seq0":1`) {
		t.Errorf("lines: %q", lines)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// A crash can cut the file at any byte. Whatever it is, the session opens, at most the last batch is lost, and it can go on.
func TestALogCutAtAnyByteOpensAndLosesAtMostTheLastBatch(t *testing.T) {
	for _, encoding := range encodings {
		t.Run(encoding, func(t *testing.T) {
			root := t.TempDir()
			first := newStore(t, root, encoding)
			path, sizes := store3(t, first)
			if err := first.Release(background, "s"); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			opened := newStore(t, root, encoding)
			opened.disk = quickDisk{}
			for cut := sizes[0]; cut <= sizes[2]; cut++ {
				write(t, path, content[:cut])
				reopen(t, opened, cut, sizes)
				// An append that was interrupted may also leave zero bytes where its data should be.
				write(t, path, append(content[:cut:cut], make([]byte, 100)...))
				if encoding == CompressionZstd && (cut == sizes[0] || cut == sizes[1] || cut == sizes[2]) {
					reopen(t, opened, cut, sizes)
				}
			}
			for cut := int64(0); cut < sizes[0]; cut++ { // cannot happen: this part appears at once
				write(t, path, content[:cut])
				_, _, err := opened.Load(background, "s")
				if releasing := opened.Release(background, "s"); releasing != nil {
					t.Fatal(releasing)
				}
				if err == nil && encoding == CompressionZstd && cut < 60 {
					t.Errorf("cut at %d: a log without a header opened", cut)
				} else if now, _ := os.ReadFile(path); err != nil && len(now) != int(cut) {
					t.Errorf("cut at %d: the file was changed although it did not open", cut)
				}
			}
		})
	}
}

// write makes a file anew: writing over one makes some file systems wait for the disk.
func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func reopen(t *testing.T, store *Store, cut int64, sizes []int64) {
	t.Helper()
	whole := 0
	for whole < len(sizes) && sizes[whole] <= cut {
		whole++
	}
	_, inspected, err := store.Inspect(background, "s")
	if err != nil {
		t.Fatalf("cut at %d: inspect: %v", cut, err)
	}
	_, events, err := store.Load(background, "s")
	if err != nil {
		t.Fatalf("cut at %d: load: %v", cut, err)
	}
	if len(events) < 5*whole || len(inspected) < 5*whole || len(inspected) > len(events) {
		t.Fatalf("cut at %d: %d events inspected, %d loaded, %d batches were whole", cut, len(inspected), len(events), whole)
	}
	all := append(append(turn(0), turn(5)...), turn(10)...)
	for i, e := range inspected {
		if string(e.Data) != string(all[i].Data) || e.Seq != int64(i) {
			t.Fatalf("cut at %d: event %d is %s", cut, i, e.Data)
		}
	}
	if err := store.Append(background, "s", turn(int64(len(events)))); err != nil {
		t.Fatalf("cut at %d: append: %v", cut, err)
	}
	if err := store.Release(background, "s"); err != nil {
		t.Fatal(err)
	}
	if _, after, err := store.Load(background, "s"); err != nil || len(after) != len(events)+5 {
		t.Fatalf("cut at %d: %d events after one more turn, %v", cut, len(after), err)
	}
	if err := store.Release(background, "s"); err != nil {
		t.Fatal(err)
	}
}

func TestDamageIsNamedAndNothingIsChanged(t *testing.T) {
	plain := func(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	head := `{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/srv/project","delegationDepth":0}`
	end := `{"type":"turn/end","seq":1,"time":0,"data":{}}`
	compress := func(texts ...[]byte) (out []byte) {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			out = encoder.EncodeAll(text, out)
		}
		return out
	}
	flip := func(content []byte, at int) []byte { content[at] ^= 0xff; return content }
	two := compress(plain(head), plain(`{"type":"x","seq":0,"time":0,"data":"abcdefghijklmnopqrstuvwxyz"}`))
	reserved := compress(plain(head))
	reserved[4] |= 0x08
	for name, c := range map[string]struct {
		encoding string
		content  []byte
		want     string
	}{
		"bad line before a turn's end": {CompressionNone, plain(head, `{`, end), "row 2"},
		"gap before a turn's end":      {CompressionNone, plain(head, `{"type":"x","seq":4,"time":0,"data":1}`, end), "seq 4 where 0 must follow"},
		"surface rule broken":          {CompressionNone, plain(head, `{"type":"user/message","seq":0,"time":0,"data":{}}`), "surfaceOp is missing"},
		"header of another session":    {CompressionNone, plain(strings.Replace(head, `"s"`, `"other"`, 1)), "belongs to"},
		"header of another project":    {CompressionNone, plain(strings.Replace(head, `/srv/project`, `/elsewhere`, 1)), "belongs to"},
		"newer version":                {CompressionNone, plain(strings.Replace(head, `"version":0`, `"version":7`, 1)), "upgrade"},
		"no header":                    {CompressionNone, plain(end), "not a session header"},
		"empty":                        {CompressionNone, nil, "header line is cut off"},
		"header torn":                  {CompressionNone, []byte(head), "header line is cut off"},
		"empty frames":                 {CompressionZstd, nil, "header"},
		"checksum":                     {CompressionZstd, flip(compress(plain(head), plain(`{"type":"x","seq":0,"time":0,"data":"abcdefghijklmnopqrstuvwxyz"}`)), len(two)-1), "failed validation"},
		"not a frame":                  {CompressionZstd, append(compress(plain(head)), "garbage"...), "no Zstandard frame"},
		"stray byte":                   {CompressionZstd, append(compress(plain(head)), 'g'), "stray"},
		"reserved bit":                 {CompressionZstd, reserved, "frame at byte 0: reserved bit"},
		"header frame of two lines":    {CompressionZstd, compress(plain(head, end)), "not exactly the header line"},
		"frame ends inside a line":     {CompressionZstd, compress(plain(head), []byte(`{"type":"x"`)), "ends inside a line"},
		"bad frame before turn's end":  {CompressionZstd, compress(plain(head), plain(`{`), plain(end)), "row 2"},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t, t.TempDir(), c.encoding)
			path := store.Locate(testHeader)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, path, c.content)
			_, _, err := store.Load(background, "s")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("load: %v, want %q and the path", err, c.want)
			}
			if _, _, err := store.Inspect(background, "s"); err == nil {
				t.Error("inspect found nothing wrong")
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != string(c.content) {
				t.Errorf("the file was changed: %v", err)
			}
			if _, err := store.List(background); err != nil {
				t.Errorf("list: %v", err)
			}
		})
	}
}

func TestABadLineWithNoWholeTurnAfterItIsATornEnd(t *testing.T) {
	for _, encoding := range encodings {
		store := newStore(t, t.TempDir(), encoding)
		path, _ := store3(t, store)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		rows := `{"type":"turn/start","seq":15,"time":0,"data":{"turn":4}}` + "\n" + `{"type":"x","se` + "\n" + `{"type":"x","seq":17,"time":0,"data":1}` + "\n"
		if _, err := file.Write(store.encode(nil, []byte(rows))); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if err := store.Release(background, "s"); err != nil {
			t.Fatal(err)
		}
		again := newStore(t, store.root, encoding)
		if err := again.Append(background, "s", turn(16)); err == nil || !strings.Contains(err.Error(), "load it first") {
			t.Errorf("%s: append to a torn log: %v", encoding, err)
		}
		_, events, err := again.Load(background, "s")
		if err != nil || len(events) != 17 || events[16].Type != session.TypeTurnEnd {
			t.Errorf("%s: %d events, %v", encoding, len(events), err)
		}
		if _, after, err := newStore(t, store.root, encoding).Inspect(background, "s"); err != nil || len(after) != 17 {
			t.Errorf("%s: %d events stored, %v", encoding, len(after), err)
		}
	}
}

func TestListTellsOfEverythingBadAndFailsForNothing(t *testing.T) {
	root := t.TempDir()
	store := newStore(t, root, CompressionZstd)
	path, _ := store3(t, store)
	project := filepath.Join(root, "--srv-project--")
	for place, content := range map[string]string{
		"broken/session.jsonl.zstd":                        "garbage",
		"empty/session.jsonl.zstd":                         "",
		"plain/session.jsonl":                              "{}",
		"nothing/note.txt":                                 "",
		"unpublished/session.jsonl.zstd.0123456789ab.tmp":  "half",
		"flat.jsonl":                                       "{}",
		"readme.txt":                                       "",
		"../stray.txt":                                     "",
		"../unrelated/a/session.jsonl.zstd":                "",
		"../--copy--/s/session.jsonl.zstd":                 read(t, path),
		"directory/session.jsonl.zstd/not-a-file/deep.txt": "",
	} {
		place = filepath.Join(project, place)
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, place, []byte(content))
	}
	entries, err := store.List(background)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, entry := range entries {
		name, err := filepath.Rel(root, entry.Path)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = entry.Header.ID + ": "
		if entry.Problem != nil {
			got[name] += entry.Problem.Error()
		}
	}
	for name, want := range map[string]string{
		"--srv-project--/s/session.jsonl.zstd":         "s: session \"s\" is stored 2 times",
		"--copy--/s/session.jsonl.zstd":                "s: header names session",
		"--srv-project--/broken/session.jsonl.zstd":    "broken: corrupt",
		"--srv-project--/empty/session.jsonl.zstd":     "empty: corrupt",
		"--srv-project--/plain/session.jsonl":          "plain: " + filepath.Join(project, "plain/session.jsonl") + " has the other encoding",
		"--srv-project--/flat.jsonl":                   ": a log directly in the project",
		"--srv-project--/directory/session.jsonl.zstd": "directory: ",
	} {
		if !strings.HasPrefix(got[name], want) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("more was listed: %q", got)
	}
	if _, _, err := store.Load(background, "s"); err == nil || !strings.Contains(err.Error(), "more than once") {
		t.Errorf("a session that is stored twice: %v", err)
	}
	if _, _, err := store.Load(background, "plain"); err == nil || !strings.Contains(err.Error(), "other encoding") {
		t.Errorf("a session of the other encoding: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAFileThatSomebodyElseChangedIsNotAppendedTo(t *testing.T) {
	root := t.TempDir()
	one := newStore(t, root, CompressionZstd)
	path, _ := store3(t, one)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0) // a program that knows nothing of our lock
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	if err := one.Append(background, "s", turn(15)); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("got %v", err)
	}
	if read(t, path) != before {
		t.Error("the file was changed")
	}
}

func TestNewRefusesBadConfigurations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	for name, config := range map[string]Config{"no root": {}, "a file": {Root: file}, "foreign compression": {Root: t.TempDir(), Compression: "gzip"}} {
		if _, err := New(config, clock.System()); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDeleteLeavesWhatIsNotItsOwn(t *testing.T) {
	store := newStore(t, t.TempDir(), CompressionZstd)
	path, _ := store3(t, store)
	note := filepath.Join(filepath.Dir(path), "note.txt")
	write(t, note, []byte("mine"))
	if err := store.Delete(background, "s"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the log is still there")
	}
	if read(t, note) != "mine" {
		t.Error("the note is gone")
	}
}
