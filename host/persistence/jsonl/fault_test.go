package jsonl

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keylane/host/persistence"
	"keylane/host/session"
)

// faultyDisk is the real disk, except that files fail where it is told to.
type faultyDisk struct {
	directory   error // of syncing one
	writeAtMost int   // bytes, -1 for no limit
	sync        error
	truncate    error
}

type faultyFile struct {
	*os.File
	disk *faultyDisk
}

// quickDisk is the real disk without waiting for it: for tests that write often and look at the content only.
type quickDisk struct{ realDisk }

type quickFile struct{ appendFile }

func (quickFile) Sync() error                { return nil }
func (quickDisk) syncDirectory(string) error { return nil }

func (d quickDisk) openNew(path string) (appendFile, error) {
	file, err := d.realDisk.openNew(path)
	return quickFile{file}, err
}

func (d quickDisk) openAppend(path string) (appendFile, error) {
	file, err := d.realDisk.openAppend(path)
	return quickFile{file}, err
}

var errDisk = errors.New("disk says no")

func (d *faultyDisk) openAppend(path string) (appendFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return &faultyFile{file, d}, err
}

func (d *faultyDisk) openNew(path string) (appendFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return &faultyFile{file, d}, err
}

func (d *faultyDisk) syncDirectory(path string) error {
	return errors.Join(d.directory, realDisk{}.syncDirectory(path))
}

func (f *faultyFile) Write(content []byte) (int, error) {
	if limit := f.disk.writeAtMost; limit >= 0 && limit < len(content) {
		n, err := f.File.Write(content[:limit])
		return n, errors.Join(err, errDisk)
	}
	return f.File.Write(content)
}

func (f *faultyFile) Sync() error {
	if f.disk.sync != nil {
		return f.disk.sync
	}
	return f.File.Sync()
}

func (f *faultyFile) Truncate(size int64) error {
	if f.disk.truncate != nil {
		return f.disk.truncate
	}
	return f.File.Truncate(size)
}

func TestABatchThatFailsIsUndoneAndCanBeTriedAgain(t *testing.T) {
	for name, disk := range map[string]*faultyDisk{
		"the write is cut short":          {writeAtMost: 7},
		"the write fails at once":         {writeAtMost: 0},
		"the sync fails":                  {writeAtMost: -1, sync: errDisk},
		"the undoing fails":               {writeAtMost: 7, truncate: errDisk},
		"the sync and the undoing fail":   {writeAtMost: -1, sync: errDisk, truncate: errDisk},
		"everything fails from the start": {writeAtMost: 0, sync: errDisk, truncate: errDisk},
	} {
		for _, encoding := range encodings {
			t.Run(name+"/"+encoding, func(t *testing.T) {
				store := newStore(t, t.TempDir(), encoding)
				path, _ := store3(t, store)
				before := read(t, path)
				store.disk = disk
				for range 2 {
					if err := store.Append(background, "s", turn(15)); !errors.Is(err, errDisk) {
						t.Fatalf("got %v", err)
					}
				}
				if disk.truncate == nil && read(t, path) != before {
					t.Error("a part of the batch stayed in the file")
				}
				if length, err := store.Length(background, "s"); err != nil || length != 15 {
					t.Errorf("%d events, %v", length, err)
				}
				store.disk = realDisk{}
				if err := store.Append(background, "s", turn(15)); err != nil {
					t.Fatal(err)
				}
				if _, events, err := newStore(t, store.root, encoding).Inspect(background, "s"); err != nil || len(events) != 20 {
					t.Errorf("%d events, %v", len(events), err)
				}
			})
		}
	}
}

// The first batch makes the file. When that fails, whatever fails, there is no session, and the next attempt makes one.
func TestAFirstBatchThatFailsLeavesNoSession(t *testing.T) {
	for name, disk := range map[string]*faultyDisk{
		"the write is cut short":      {writeAtMost: 7},
		"the sync fails":              {writeAtMost: -1, sync: errDisk},
		"syncing the directory fails": {writeAtMost: -1, directory: errDisk},
	} {
		for _, encoding := range encodings {
			t.Run(name+"/"+encoding, func(t *testing.T) {
				store := newStore(t, t.TempDir(), encoding)
				if err := store.Create(background, testHeader); err != nil {
					t.Fatal(err)
				}
				store.disk = disk
				for range 2 {
					if err := store.Append(background, "s", turn(0)); !errors.Is(err, errDisk) {
						t.Fatalf("got %v", err)
					}
					if entries, err := newStore(t, store.root, encoding).List(background); err != nil || len(entries) != 0 {
						t.Fatalf("listed %+v, %v", entries, err)
					}
				}
				store.disk = realDisk{}
				if err := store.Append(background, "s", turn(0)); err != nil {
					t.Fatal(err)
				}
				if _, events, err := newStore(t, store.root, encoding).Inspect(background, "s"); err != nil || len(events) != 5 {
					t.Errorf("%d events, %v", len(events), err)
				}
			})
		}
	}
}

// A repair that fails has either not touched the log, or left it shorter by what no one could read, with the copy beside it.
func TestARepairThatFailsLosesNothing(t *testing.T) {
	for name, disk := range map[string]*faultyDisk{
		"the copy cannot be made durable": {writeAtMost: -1, directory: errDisk},
		"the log cannot be cut":           {writeAtMost: -1, truncate: errDisk},
		"the log cannot be synced":        {writeAtMost: -1, sync: errDisk},
	} {
		t.Run(name, func(t *testing.T) {
			place := newPlace(t, CompressionZstd, "")
			opened, err := place.Open()
			if err != nil {
				t.Fatal(err)
			}
			store := opened.(*Store)
			defer store.Close(background)
			path, _ := store3(t, store)
			if err := store.Release(background, "s"); err != nil {
				t.Fatal(err)
			}
			place.Damage(t, "s", 5)
			before := read(t, path)
			store.disk = disk
			if _, err := store.Repair(background, "s"); !errors.Is(err, errDisk) {
				t.Fatalf("got %v", err)
			}
			copies, err := filepath.Glob(path + ".*.bak")
			if err != nil {
				t.Fatal(err)
			}
			if read(t, path) != before && (len(copies) != 1 || read(t, copies[0]) != before) {
				t.Errorf("neither the log nor a copy of it is as it was (%q)", copies)
			}
			store.disk = realDisk{}
			if _, err := store.Repair(background, "s"); err != nil {
				t.Fatal(err)
			}
			if _, events, err := store.Load(background, "s"); err != nil || len(events) != 5 {
				t.Errorf("%d events, %v", len(events), err)
			}
		})
	}
}

func TestScanFrameNeedsAllOfAFrame(t *testing.T) {
	store := newStore(t, t.TempDir(), CompressionZstd)
	for _, text := range []string{"", "a", strings.Repeat("a", 300_000), strings.Repeat("all sorts of things ", 40_000)} {
		whole := store.encode(nil, []byte(text))
		for cut := range len(whole) + 1 {
			if len(whole) > 2000 && cut > 300 && cut < len(whole)-300 {
				continue
			}
			got, err := scanFrame(bytes.NewReader(whole[:cut]), 0, int64(cut))
			if cut == len(whole) && (err != nil || got.end != int64(cut)) || cut < len(whole) && !errors.Is(err, errTorn) {
				t.Fatalf("%d of %d bytes: %+v, %v", cut, len(whole), got, err)
			}
		}
	}
}

func FuzzScanFrame(f *testing.F) {
	encoder, err := New(Config{Root: f.TempDir()}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encoder.encode(nil, []byte("some text, some text, some text")))
	f.Add(encoder.encode(encoder.encode(nil, nil), []byte("x")))
	f.Add(make([]byte, 9))
	f.Fuzz(func(t *testing.T, content []byte) {
		size := int64(len(content))
		for at := int64(0); at < size; {
			next, err := scanFrame(bytes.NewReader(content), at, size)
			if err != nil {
				return
			}
			if next.start != at || next.end <= at || next.end > size {
				t.Fatalf("frame [%d,%d) at %d of %d", next.start, next.end, at, size)
			}
			// What decompresses is a frame that ends where the scanner says.
			if _, err := encoder.decoder.DecodeAll(content[at:next.end], nil); err == nil {
				if _, err := encoder.decoder.DecodeAll(content[at:next.end-1], nil); err == nil {
					t.Fatalf("the frame at %d ends before %d", at, next.end)
				}
			}
			at = next.end
		}
	})
}

// FuzzOpen: whatever is in a file, reading it ends in events or an error. All ways of reading agree; what was loaded once loads again; what is
// damaged shows what is before the damage, and repair makes exactly that of it, with the file as it was beside it.
func FuzzOpen(f *testing.F) {
	head := `{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/srv/project","delegationDepth":0}` + "\n"
	start, end := `{"type":"turn/start","seq":0,"time":0,"data":{"turn":1}}`+"\n", `{"type":"turn/end","seq":1,"time":0,"data":{"turn":1,"reason":{"kind":"completed"}}}`+"\n"
	f.Add([]byte(head+start+`{"type":`), false)
	f.Add([]byte(head+start+"garbage\n"+end), false)
	f.Add([]byte(head+start+end+`{"type":"user/message","seq":2,"time":0,"data":{}}`+"\n"), false)
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd}, true)
	store, err := New(Config{Root: f.TempDir()}, nil)
	if err != nil {
		f.Fatal(err)
	}
	framed := func(texts ...string) (out []byte) {
		for _, text := range texts {
			out = store.encode(out, []byte(text))
		}
		return out
	}
	f.Add(framed(head, start, "garbage\n", end), true)
	f.Add(framed(head, start+end)[:150], true)
	f.Fuzz(func(t *testing.T, content []byte, compressed bool) {
		encoding := CompressionNone
		if compressed {
			encoding = CompressionZstd
		}
		store := newStore(t, t.TempDir(), encoding)
		store.disk = quickDisk{}
		path := store.Locate(testHeader)
		if err := makeDirectory(quickDisk{}, filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
		if _, err := store.List(background); err != nil {
			t.Fatalf("list: %v", err)
		}
		_, inspected, err := store.Inspect(background, "s")
		var damage *persistence.Damage
		if err != nil && !errors.As(err, &damage) {
			if _, err := store.Page(background, "s", -1, 1000); err == nil {
				t.Fatal("a page of a log that has no beginning")
			}
			return
		}
		// A page judges every event by itself; rules between events (a message that replaces others) are for who opens the session.
		page, err := store.Page(background, "s", -1, 1000)
		if err != nil || page.Stored < int64(len(inspected)) || damage == nil && page.Damage != nil {
			t.Fatalf("page: %d events of %d, %v, %v", page.Stored, len(inspected), page.Damage, err)
		}
		if string(content) != read(t, path) {
			t.Fatal("reading changed the file")
		}
		if damage != nil {
			if _, _, err := store.Load(background, "s"); err == nil {
				t.Fatal("a damaged log was loaded")
			}
			done, err := store.Repair(background, "s")
			if err != nil || read(t, done.Backup) != string(content) {
				t.Fatalf("repair: %+v, %v", done, err)
			}
		}
		_, first, err := store.Load(background, "s")
		if err != nil || len(first) < len(inspected) {
			t.Fatalf("loaded %d events of %d, %v", len(first), len(inspected), err)
		}
		if err := store.Release(background, "s"); err != nil {
			t.Fatal(err)
		}
		_, second, err := newStore(t, store.root, encoding).Load(background, "s")
		if err != nil || len(first) != len(second) || session.Validate(second) != nil {
			t.Fatalf("loaded %d events, then %d, %v", len(first), len(second), err)
		}
	})
}
