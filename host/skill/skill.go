// Package skill knows the skills that an agent can load: instructions for a kind of work, kept as files, of which a model sees a name and
// one line until it asks for the rest.
//
// A [Library] asks its sources; [Filesystem] is the source that reads folders. Every question looks at the files anew, so a skill
// written a moment ago is there. Of two skills with one name the one of the better rank is used, and a skill that cannot be used is
// never in the way of one that can: it is listed with its reason, and told to the host's log once.
//
// A skill is text and nothing else. This package must not run anything that a skill mentions.
package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"keylane/host/composition"
)

// Service is the host's skills.
var Service = composition.NewService[*Library]("skills")

// ErrUnknown: no skill of that name can be used.
var ErrUnknown = errors.New("there is no such skill")

// Ranks of the places that skills come from; the lower one wins.
const (
	RankProject = 100 // .keylane/skills of the project
	RankShared  = 200 // .agents/skills of the project, which other hosts read as well
	RankCustom  = 300 // folders that the person named in the config
	RankHome    = 400 // the keylane home
	RankAgents  = 500 // the person's home for agents of any kind
	RankBundled = 600 // what came with the installation
)

// Skill is one that can be used.
type Skill struct {
	Name        string // unique in a listing
	Description string // one line, at most maxDescription characters
	File        string // absolute path
	Folder      string // where files that its text mentions lie; "" for a skill that is a file of its own
	Rank        int

	body func() (string, error)
}

// Broken is a skill that cannot be used, or a folder that cannot be read.
type Broken struct {
	Name    string // as far as it is known
	File    string // absolute path
	Problem string // why, in one sentence
	Rank    int
}

// Source finds skills for a session that works in the folder cwd. It is safe for concurrent use, and bounded in what it reads.
type Source interface {
	Find(ctx context.Context, cwd string) ([]Skill, []Broken)
}

// Library is all skills of a host. It is safe for concurrent use; see [NewLibrary].
type Library struct {
	logger *slog.Logger

	mu      sync.Mutex // guards what is below
	sources []*Source
	told    map[Broken]bool // what is in the host's log already
}

// maxTold bounds what a library remembers of broken skills; beyond it one may be told again.
const maxTold = 1000

// NewLibrary makes a library without skills.
func NewLibrary(logger *slog.Logger) *Library {
	return &Library{logger: logger, told: map[Broken]bool{}}
}

// Add lets the library ask a source, until dispose.
func (l *Library) Add(s Source) (dispose func()) {
	added := &s
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources = append(l.sources, added)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sources = slices.DeleteFunc(l.sources, func(other *Source) bool { return other == added })
	}
}

// List lists the skills for a session that works in the folder cwd, by name, and what cannot be used, best rank first.
func (l *Library) List(ctx context.Context, cwd string) ([]Skill, []Broken) {
	l.mu.Lock()
	sources := slices.Clone(l.sources)
	l.mu.Unlock()
	var found []Skill
	var broken []Broken
	for _, source := range sources {
		skills, problems := (*source).Find(ctx, cwd)
		found, broken = append(found, skills...), append(broken, problems...)
	}
	slices.SortStableFunc(found, func(a, b Skill) int { return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Rank, b.Rank)) })
	found = slices.CompactFunc(found, func(a, b Skill) bool { return a.Name == b.Name })
	slices.SortStableFunc(broken, func(a, b Broken) int { return cmp.Compare(a.Rank, b.Rank) })
	l.tell(broken)
	return found, broken
}

func (l *Library) tell(broken []Broken) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range broken {
		if l.told[b] {
			continue
		}
		if len(l.told) >= maxTold {
			clear(l.told)
		}
		l.told[b] = true
		l.logger.Warn("a skill cannot be used", "file", b.File, "problem", b.Problem)
	}
}

// Load returns a skill and its text. The error is ErrUnknown and names the skills there are, or says why the text cannot be read.
func (l *Library) Load(ctx context.Context, cwd, name string) (Skill, string, error) {
	skills, broken := l.List(ctx, cwd)
	for _, s := range skills {
		if s.Name == name {
			body, err := s.body()
			if err != nil {
				return Skill{}, "", fmt.Errorf("skill: loading %q from %s: %w", name, s.File, err)
			}
			return s, body, nil
		}
	}
	for _, b := range broken {
		if b.Name == name {
			return Skill{}, "", fmt.Errorf("skill %q (%s) cannot be used: %s", name, b.File, b.Problem)
		}
	}
	return Skill{}, "", fmt.Errorf("%w as %q; %s", ErrUnknown, name, names(skills))
}

// maxNamed bounds how many skills an error names.
const maxNamed = 100

func names(skills []Skill) string {
	if len(skills) == 0 {
		return "there are none"
	}
	var all []string
	for _, s := range skills[:min(len(skills), maxNamed)] {
		all = append(all, s.Name)
	}
	if more := len(skills) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return "available: " + strings.Join(all, ", ")
}
