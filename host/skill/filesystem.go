package skill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"keylane/host/project"
)

// What a skill is called on disk: <name>/SKILL.md, or <name>.md, directly in a folder of skills.
const (
	skillFile = "SKILL.md"
	extension = ".md"
)

// headBytes is how much of a skill's file a listing reads: its front matter must end there.
const headBytes = 8 << 10

// maxEntries bounds how many entries of one folder count.
const maxEntries = 200

// Folder is a folder of skills that belongs to the person or the installation; links in it are followed.
type Folder struct {
	Dir  string // absolute; it need not exist
	Rank int
}

// Filesystem finds skills in folders: .keylane/skills and .agents/skills of the session's project, from which no link may lead out, and
// the given ones.
type Filesystem struct {
	Folders []Folder
	// MaxFileBytes bounds a skill's file.
	MaxFileBytes int64
}

// Find is for Library.
func (f Filesystem) Find(ctx context.Context, cwd string) ([]Skill, []Broken) {
	var found []Skill
	var broken []Broken
	look := func(open opener, name string, rank int) {
		if ctx.Err() != nil {
			return
		}
		skills, problems := f.folder(open, name, rank)
		found, broken = append(found, skills...), append(broken, problems...)
	}
	inProject := func() (*project.Place, error) { return project.Confined(project.Root(cwd)) }
	look(inProject, ".keylane/skills", RankProject)
	look(inProject, ".agents/skills", RankShared)
	for _, folder := range f.Folders {
		look(func() (*project.Place, error) { return project.Trusted(folder.Dir), nil }, ".", folder.Rank)
	}
	return found, broken
}

// opener gives a place anew, since a skill's text is read long after the listing.
type opener func() (*project.Place, error)

func (f Filesystem) folder(open opener, folder string, rank int) (found []Skill, broken []Broken) {
	place, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the session's folder is gone, which is for its tools to say
	}
	if err != nil {
		return nil, []Broken{{Problem: err.Error(), Rank: rank}}
	}
	defer func() { _ = place.Close() }() // it was only read
	entries, total, err := place.List(folder, maxEntries)
	if err != nil {
		return nil, []Broken{{File: place.Path(folder), Problem: "the folder cannot be read: " + err.Error(), Rank: rank}}
	}
	if total > len(entries) {
		broken = append(broken, Broken{File: place.Path(folder), Rank: rank,
			Problem: fmt.Sprintf("the folder has %d entries; the first %d by name count", total, len(entries))})
	}
	for _, entry := range entries {
		name, file := entry.Name, path.Join(folder, entry.Name)
		switch {
		case strings.HasPrefix(name, "."):
			continue
		case entry.Err == nil && entry.Folder:
			file = path.Join(file, skillFile)
		case strings.HasSuffix(name, extension):
			name = strings.TrimSuffix(name, extension)
		case entry.Err == nil:
			continue // some other file
		}
		s, err := f.skill(place, name, file)
		if entry.Err != nil {
			err = entry.Err
		}
		switch {
		case entry.Folder && errors.Is(err, fs.ErrNotExist):
			continue // a folder of something else
		case err != nil:
			broken = append(broken, Broken{Name: name, File: place.Path(file), Problem: err.Error(), Rank: rank})
			continue
		}
		s.Rank, s.body = rank, f.reader(open, file)
		if entry.Folder {
			s.Folder = place.Path(path.Dir(file))
		}
		found = append(found, s)
	}
	return found, broken
}

// skill reads what a listing shows.
func (f Filesystem) skill(place *project.Place, name, file string) (Skill, error) {
	head, err := place.Read(file, headBytes)
	if err != nil {
		return Skill{}, err
	}
	if head.Size > f.MaxFileBytes {
		return Skill{}, fmt.Errorf("it has %d bytes; a skill may have %d", head.Size, f.MaxFileBytes)
	}
	said, _, err := parse(head.Content, head.Size <= headBytes)
	if err != nil {
		return Skill{}, err
	}
	if said.Name != "" {
		name = said.Name
	}
	if err := checkName(name); err != nil {
		return Skill{}, err
	}
	return Skill{Name: name, Description: said.Description, File: place.Path(file)}, nil
}

func (f Filesystem) reader(open opener, file string) func() (string, error) {
	return func() (string, error) {
		place, err := open()
		if err != nil {
			return "", err
		}
		defer func() { _ = place.Close() }() // it was only read
		text, err := place.Read(file, f.MaxFileBytes)
		if err != nil {
			return "", err
		}
		if text.Size > f.MaxFileBytes {
			return "", fmt.Errorf("it has %d bytes; a skill may have %d", text.Size, f.MaxFileBytes)
		}
		_, body, err := parse(text.Content, true)
		return body, err
	}
}
