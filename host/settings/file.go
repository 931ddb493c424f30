package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
	"gopkg.in/yaml.v3"

	"keylane/host/home"
)

// parse reads the file's text. The document is nil when the file is broken.
func (s *Store) parse(text []byte) (*yaml.Node, Snapshot) {
	snapshot := Snapshot{Revision: revisionOf(text), Values: Defaults()}
	document, problem := s.document(text)
	if problem != nil {
		snapshot.Problem = problem
		return nil, snapshot
	}
	for _, key := range Keys() {
		node := lookup(document, key)
		switch {
		case node == nil || node.Tag == "!!null":
		case node.Kind == yaml.ScalarNode && slices.Contains(allowed[key], node.Value):
			snapshot.Values[key] = node.Value
		case snapshot.Problem == nil:
			snapshot.Problem = &Problem{s.path, node.Line, fmt.Sprintf("%s: want one of %q", key, allowed[key])}
		}
	}
	return document, snapshot
}

// document reads text as one YAML document whose settings have the form of the package comment.
func (s *Store) document(text []byte) (*yaml.Node, *Problem) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	document := &yaml.Node{}
	if err := decoder.Decode(document); errors.Is(err, io.EOF) {
		// Nothing, or comments alone, which the parser drops.
		return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, HeadComment: strings.TrimSpace(string(text))}}}, nil
	} else if err != nil {
		return nil, s.broken(err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, &Problem{s.path, 0, "want one document, got more"}
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		*root = yaml.Node{Kind: yaml.MappingNode, HeadComment: root.HeadComment, FootComment: root.FootComment}
	}
	if root.Kind != yaml.MappingNode {
		return nil, &Problem{s.path, root.Line, "want keys with values"}
	}
	var anything map[string]any // finds keys that stand twice, and aliases that lead nowhere
	if err := document.Decode(&anything); err != nil {
		return nil, s.broken(err)
	}
	for i := 0; i < len(root.Content); i += 2 {
		name, value := root.Content[i], root.Content[i+1]
		ours := slices.ContainsFunc(Keys(), func(k Key) bool { return strings.HasPrefix(string(k), name.Value+".") })
		if ours && value.Kind != yaml.MappingNode && value.Tag != "!!null" {
			return nil, &Problem{s.path, value.Line, name.Value + ": want keys with values"}
		}
	}
	return document, nil
}

// place finds the line in what the parser says.
var place = regexp.MustCompile(`line (\d+): `)

func (s *Store) broken(err error) *Problem {
	cause := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " ")
	p := &Problem{s.path, 0, cause}
	if m := place.FindStringSubmatchIndex(cause); m != nil {
		p.Line, _ = strconv.Atoi(cause[m[2]:m[3]]) // digits, by the expression
		p.Cause = cause[m[1]:]
	}
	return p
}

// lookup returns the node of a setting's value, nil when there is none.
func lookup(document *yaml.Node, key Key) *yaml.Node {
	namespace, name, _ := strings.Cut(string(key), ".")
	if node := child(document.Content[0], namespace); node != nil {
		return child(node, name)
	}
	return nil
}

func child(mapping *yaml.Node, name string) *yaml.Node {
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// put sets a setting in a document that has the form.
func put(document *yaml.Node, key Key, value string) {
	namespace, name, _ := strings.Cut(string(key), ".")
	root := document.Content[0]
	mapping := child(root, namespace)
	if mapping == nil {
		mapping = &yaml.Node{Kind: yaml.MappingNode}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: namespace}, mapping)
	}
	if mapping.Kind != yaml.MappingNode { // a namespace without anything in it
		*mapping = yaml.Node{Kind: yaml.MappingNode, HeadComment: mapping.HeadComment, LineComment: mapping.LineComment, FootComment: mapping.FootComment}
	}
	mapping.Style &^= yaml.FlowStyle
	node := child(mapping, name)
	if node == nil {
		node = &yaml.Node{}
		mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, node)
	}
	*node = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, HeadComment: node.HeadComment, LineComment: node.LineComment, FootComment: node.FootComment}
}

// Update sets settings, all or none, and returns what holds then. With a revision that is not nil and not the file's it is ErrConflict,
// with a file that is broken a *FileError; a key or value that there is not is an error of the caller's. The observers are told before it returns.
func (s *Store) Update(expected *string, changes Values) (Snapshot, error) {
	for key, value := range changes {
		if !slices.Contains(allowed[key], value) {
			return Snapshot{}, fmt.Errorf("settings: updating: %q is no value of %q", value, key)
		}
	}
	if err := s.change(expected, changes); err != nil {
		return Snapshot{}, fmt.Errorf("settings: updating: %w", err)
	}
	s.Refresh()
	return s.Read(), nil
}

// change rewrites the file under a lock that other hosts heed.
func (s *Store) change(expected *string, changes Values) (err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	lock := flock.New(s.path + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("locking: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	text, err := os.ReadFile(s.path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return &FileError{Problem{s.path, 0, err.Error()}}
	}
	document, now := s.parse(text)
	if missing {
		now.Revision = ""
	}
	switch {
	case expected != nil && *expected != now.Revision:
		return ErrConflict
	case document == nil:
		return &FileError{*now.Problem}
	}
	changed := false
	for _, key := range Keys() {
		value, asked := changes[key]
		node := lookup(document, key)
		if !asked || value == now.Values[key] && (node == nil || node.Value == value) {
			continue
		}
		put(document, key, value)
		changed = true
	}
	if !changed {
		return nil
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(document), encoder.Close()); err != nil {
		return err
	}
	// The library that writes is another one than the file was written with: what it made is read before anything is lost.
	if again, then := s.parse(out.Bytes()); again == nil || !holds(then.Values, changes) {
		return &FileError{Problem{s.path, 0, "it cannot be rewritten as it is"}}
	}
	return home.Replace(s.path, out.Bytes(), 0o600)
}

// holds is whether every change is among the values.
func holds(values, changes Values) bool {
	for key, value := range changes {
		if values[key] != value {
			return false
		}
	}
	return true
}
