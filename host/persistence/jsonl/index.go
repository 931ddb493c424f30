package jsonl

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// The index says again what the logs say, so that a list and a page need not read all of them. It is never asked before the log's file is
// compared with what the index was made from, and whatever is wrong with it, it is made anew. Below Config.Cache there is
//
//	<hash of the root>/list            one line for every session: what a list shows
//	<hash of the root>/<session>.log   the survey of one large log
//
// Each file is one line with a version and a checksum, then JSON.
const (
	indexVersion = "keylane-index 1 "
	// worthIndexing is the size of a log from which its survey is kept: smaller ones are read as fast as their index.
	worthIndexing = 32 << 10
)

// key tells one state of a file from every other.
type key struct {
	Device uint64 `json:"dev"`
	Inode  uint64 `json:"ino"`
	Size   int64  `json:"size"`
	Time   int64  `json:"mtime"` // ns
}

func keyOf(info fs.FileInfo) key {
	k := key{Size: info.Size(), Time: info.ModTime().UnixNano()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		k.Device, k.Inode = uint64(stat.Dev), stat.Ino
	}
	return k
}

// revision is the key as others see it.
func (k key) revision() string { return fmt.Sprintf("%d:%d:%d:%d", k.Device, k.Inode, k.Size, k.Time) }

// indexed is the survey of a log as it is kept. Print is the fingerprint of what is before the survey's end: when the file has only grown
// since, reading goes on there.
type indexed struct {
	Key    key     `json:"key"`
	Print  uint32  `json:"print"`
	Survey *survey `json:"survey"`
}

func (s *Store) indexFolder() string {
	if s.cache == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s.root))
	return filepath.Join(s.cache, hex.EncodeToString(sum[:8]))
}

func (s *Store) indexPath(id string) string {
	lock, err := s.lockPath(id)
	if err != nil || s.cache == "" {
		return ""
	}
	name := filepath.Base(lock)
	return filepath.Join(s.indexFolder(), name[:len(name)-len(".lock")]+".log")
}

// readIndex fills into from an index file; false when there is none that can be used.
func readIndex(path string, into any) bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	head, body, found := bytes.Cut(text, []byte{'\n'})
	sum := sha256.Sum256(body)
	return found && string(head) == indexVersion+hex.EncodeToString(sum[:8]) && json.Unmarshal(body, into) == nil
}

// writeIndex replaces an index file. It is not synced: what a crash leaves of it does not have its checksum.
func (s *Store) writeIndex(path string, value any) {
	body, err := json.Marshal(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		sum := sha256.Sum256(body)
		aside := path + "." + s.unique() + ".tmp"
		err = os.WriteFile(aside, append([]byte(indexVersion+hex.EncodeToString(sum[:8])+"\n"), body...), 0o600)
		if err == nil {
			err = os.Rename(aside, path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(aside))
		}
	}
	if err != nil {
		s.logger.Warn("the session index could not be written; reading sessions takes longer without it", "path", path, "error", err)
	}
}

// surveyOf is what a stored log amounts to: from the index when that is of this very file, and with what has been appended since when the
// file has only grown; else by reading all of it. trust false leaves the index aside.
func (s *Store) surveyOf(ctx context.Context, file *os.File, path, id string, trust bool) (*survey, key, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, key{}, err
	}
	now, kept := keyOf(info), s.indexPath(id)
	var have indexed
	if trust && kept != "" && now.Size >= worthIndexing && readIndex(kept, &have) && have.Survey.usable() {
		if have.Key == now {
			return have.Survey, now, nil
		}
		if v := s.grown(ctx, file, path, have, now); v != nil {
			s.keepSurvey(file, kept, v, now)
			return v, now, ctx.Err()
		}
	}
	v, err := s.whole(ctx, file, path, now.Size, nil)
	if err == nil && kept != "" && now.Size >= worthIndexing {
		s.keepSurvey(file, kept, v, now)
	}
	return v, now, err
}

// usable says whether a survey has the parts that everything else takes for granted.
func (v *survey) usable() bool { return v != nil && v.Follower != nil && len(v.Marks) > 0 }

// grown goes on where a survey ended, nil when the file is another one.
func (s *Store) grown(ctx context.Context, file *os.File, path string, have indexed, now key) *survey {
	end := have.Survey.End.At
	if have.Key.Device != now.Device || have.Key.Inode != now.Inode || have.Key.Size >= now.Size ||
		have.Survey.Damage != nil || have.Survey.Cut >= 0 || end != have.Key.Size {
		return nil
	}
	if print, err := fingerprint(file, end); err != nil || print != have.Print {
		return nil
	}
	if err := s.run(ctx, file, &pass{into: have.Survey, path: path, size: now.Size}); err != nil {
		return nil // reading all of it will say why
	}
	return have.Survey
}

func (s *Store) keepSurvey(file *os.File, kept string, v *survey, now key) {
	print, err := fingerprint(file, v.End.At)
	if err == nil {
		s.writeIndex(kept, indexed{now, print, v})
	}
}

// dropIndex forgets what is kept of a session that is gone.
func (s *Store) dropIndex(id string) error {
	kept := s.indexPath(id)
	if kept == "" {
		return nil
	}
	if err := os.Remove(kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}
