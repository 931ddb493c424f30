package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"

	"keylane/host/session"
	"keylane/scaffold/fixture"
)

// maxText is how much text a log may unpack to: a file from elsewhere may say anything of itself.
const maxText = 256 << 20

// A source is a log as it came.
type source struct {
	name   string // of its file, without folders
	sha256 string // of the file
	header session.Header
	events []session.Event
	turns  int
	open   bool // it ends inside a turn
}

func (s source) String() string {
	state := ""
	if s.open {
		state = "; it ends inside a turn"
	}
	return fmt.Sprintf("%s (events: %d, turns: %d%s)", s.name, len(s.events), s.turns, state)
}

// readLog reads a log, packed or not; a folder stands for the one log in it.
func readLog(path string) (source, error) {
	path, err := logIn(path)
	if err != nil {
		return source{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return source{}, fmt.Errorf("reading the log: %w", err)
	}
	sum := sha256.Sum256(data)
	s := source{name: filepath.Base(path), sha256: hex.EncodeToString(sum[:])}
	text, err := unpack(data)
	if err != nil {
		return source{}, fmt.Errorf("%s: %w", path, err)
	}
	if s.header, s.events, err = session.Read(bytes.NewReader(text), session.ReadOptions{Lenient: true}); err != nil {
		return source{}, fmt.Errorf("%s is not a session log that can be read whole: %w; if it is one of keylane's, repair a copy first: keylane sessions repair", path, err)
	}
	projection := session.Project(s.header, s.events)
	s.turns, s.open = projection.Turns, projection.OpenTurn != 0
	return s, nil
}

// logIn is path, or the one log in the folder that it is.
func logIn(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("finding the log: %w", err)
	}
	if !info.IsDir() {
		return path, nil
	}
	var logs []string
	for _, pattern := range []string{"*.jsonl", "*.jsonl.zstd"} {
		found, err := filepath.Glob(filepath.Join(path, pattern))
		if err != nil {
			return "", fmt.Errorf("looking for the log: %w", err)
		}
		logs = append(logs, found...)
	}
	if len(logs) != 1 {
		return "", fmt.Errorf("%s holds %d session logs: name one", path, len(logs))
	}
	return logs[0], nil
}

// unpack decompresses what begins as a Zstandard frame.
func unpack(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) { // RFC 8878, 3.1.1: the magic number
		return data, nil
	}
	reader, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderMaxMemory(maxText))
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	defer reader.Close()
	text, err := io.ReadAll(io.LimitReader(reader, maxText+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpacking: %w", err)
	case len(text) > maxText:
		return nil, errors.New("unpacking: it holds more than 256 MiB of text")
	}
	return text, nil
}

// people are the folders in which a system keeps those of people.
var people = regexp.MustCompile(`^(/home/[^/]+|/Users/[^/]+|/root)(/|$)`)

// valuesOf are what belongs to the run or to the person whose log it is.
func valuesOf(s source, replace map[string]string) fixture.Values {
	values := fixture.Values{SessionID: s.header.ID, Cwd: s.header.Cwd, Secrets: true}
	if found := people.FindStringSubmatch(s.header.Cwd); found != nil && path.Clean(s.header.Cwd) != found[1] {
		values.Home = found[1] + "/.keylane"
		values.Names = append(values.Names, fixture.Name{Text: found[1], Instead: "/home/user"})
	}
	for text, instead := range replace {
		values.Names = append(values.Names, fixture.Name{Text: text, Instead: instead})
	}
	return values
}

// scrubbed is the text of the fixture. A child's log stands for itself: its parent is not part of the scenario.
func scrubbed(s source, values fixture.Values) ([]byte, error) {
	header := s.header
	header.ParentSession, header.SeedLength, header.Origin, header.DelegationDepth = "", 0, "", 0
	if header.Cwd == "" {
		header.Cwd = "{{cwd}}"
	}
	text, err := fixture.Scrub(header, s.events, values)
	if err != nil {
		return nil, err
	}
	// What follows checks the text as the scenario will read it.
	header, events, err := session.Read(bytes.NewReader(text), session.ReadOptions{Lenient: true})
	if err != nil {
		return nil, fmt.Errorf("the projection cannot be read back: %w", err)
	}
	again, err := fixture.Scrub(header, events, fixture.Values{})
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, text) {
		return nil, errors.New("scrubbing the projection again changes it: this is a defect of the command; please report it with the log")
	}
	for _, name := range values.Names {
		if name.Instead != name.Text && !strings.Contains(name.Instead, name.Text) && bytes.Contains(text, []byte(name.Text)) {
			return nil, fmt.Errorf("%q is still in the projection", name.Text)
		}
	}
	return text, nil
}
