package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"keylane/host/approval"
	"keylane/host/clock"
	"keylane/host/composition"
	"keylane/host/home"
	"keylane/host/prompt"
	"keylane/host/prompt/catalogue"
	"keylane/host/prompt/environment"
	"keylane/host/prompt/instructions"
	"keylane/host/skill"
	"keylane/host/tool"
	skilltool "keylane/host/tool/skill"
)

func skillsPlugin() composition.Plugin {
	return composition.Define("skills", "where sources of skills register", composition.Definition[struct{}]{
		Provides: []composition.Key{skill.Service},
		Start: func(_ context.Context, s *composition.Scope, _ struct{}) error {
			composition.Provide(s, skill.Service, skill.NewLibrary(s.Logger()))
			return nil
		},
	})
}

// skillFilesystemConfig of the row skill-filesystem; in paths {{home}} is expanded.
type skillFilesystemConfig struct {
	// Custom are further folders of skills.
	Custom []string `yaml:"custom"`
	// Home is the folder of the keylane home; empty is none.
	Home string `yaml:"home"`
	// AgentsHome is the home for agents of any kind, of which the folder skills counts; empty means the variable that AgentsHomeEnv names, and
	// without that ~/.agents.
	AgentsHome    string `yaml:"agentsHome"`
	AgentsHomeEnv string `yaml:"agentsHomeEnv"`
	// Bundled is the folder that came with the installation; empty is none.
	Bundled string `yaml:"bundled"`
	// MaxFileBytes bounds the file of one skill.
	MaxFileBytes int64 `yaml:"maxFileBytes"`
}

func (c skillFilesystemConfig) Validate() error {
	if c.MaxFileBytes < 1 {
		return &composition.FieldError{Path: "maxFileBytes", Err: errors.New("a skill needs at least one byte")}
	}
	return nil
}

// agentsFolder is the folder of skills for agents of any kind; "" where the person has no home folder, as a service may not.
func (c skillFilesystemConfig) agentsFolder(logger *slog.Logger) string {
	agents := c.AgentsHome
	if agents == "" && c.AgentsHomeEnv != "" {
		agents = os.Getenv(c.AgentsHomeEnv)
	}
	if agents == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			logger.Warn("skills of ~/.agents are left out; set agentsHome of the row to have some", "error", err)
			return ""
		}
		agents = filepath.Join(user, ".agents")
	}
	return filepath.Join(agents, "skills")
}

// folders are the ambient folders, best rank first.
func (c skillFilesystemConfig) folders(h home.Home, logger *slog.Logger) ([]skill.Folder, error) {
	var folders []skill.Folder
	add := func(dir string, rank int) error {
		if dir == "" {
			return nil
		}
		absolute, err := filepath.Abs(h.Expand(dir))
		if err != nil {
			return fmt.Errorf("host: finding the folder of skills %q: %w", dir, err)
		}
		folders = append(folders, skill.Folder{Dir: absolute, Rank: rank})
		return nil
	}
	var problems []error
	for _, dir := range c.Custom {
		problems = append(problems, add(dir, skill.RankCustom))
	}
	problems = append(problems, add(c.Home, skill.RankHome), add(c.agentsFolder(logger), skill.RankAgents), add(c.Bundled, skill.RankBundled))
	return folders, errors.Join(problems...)
}

func skillFilesystemPlugin() composition.Plugin {
	return composition.Define("skill-filesystem", "skills in folders of the project and of the person", composition.Definition[skillFilesystemConfig]{
		Needs: []composition.Key{skill.Service, home.Service},
		Defaults: func() skillFilesystemConfig {
			return skillFilesystemConfig{Custom: []string{}, Home: "{{home}}/skills", AgentsHomeEnv: "KEYLANE_AGENTS_HOME", MaxFileBytes: 65_536}
		},
		Start: func(_ context.Context, s *composition.Scope, c skillFilesystemConfig) error {
			folders, err := c.folders(composition.Need(s, home.Service), s.Logger())
			if err != nil {
				return err
			}
			dispose := composition.Need(s, skill.Service).Add(skill.Filesystem{Folders: folders, MaxFileBytes: c.MaxFileBytes})
			s.OnDispose("skills in folders", func(context.Context) error { dispose(); return nil })
			return nil
		},
	})
}

// skillToolConfig of the row tool-skill.
type skillToolConfig struct {
	// MaxListBytes bounds the list of skills that a model is told.
	MaxListBytes int `yaml:"maxListBytes"`
}

func (c skillToolConfig) Validate() error { return atLeast("maxListBytes", c.MaxListBytes, 1024) }

func skillToolPlugin() composition.Plugin {
	return composition.Define("tool-skill", "tells the agent which skills there are, and loads them", composition.Definition[skillToolConfig]{
		Needs:    []composition.Key{tool.Service, skill.Service, prompt.Service},
		Defaults: func() skillToolConfig { return skillToolConfig{MaxListBytes: 16_384} },
		Start: func(_ context.Context, s *composition.Scope, c skillToolConfig) error {
			library := composition.Need(s, skill.Service)
			if err := registerTools(s, skilltool.New(library)); err != nil {
				return err
			}
			return addContext(s, catalogue.New(library, c.MaxListBytes))
		},
	})
}

// instructionsConfig of the row agent-instructions.
type instructionsConfig struct {
	// File is the person's own; {{home}} is expanded.
	File string `yaml:"file"`
	// Names are those of files in a project's folders; the first that a folder holds counts.
	Names []string `yaml:"names"`
	// MaxBytes bounds all instructions of a session together.
	MaxBytes int `yaml:"maxBytes"`
}

func (c instructionsConfig) Validate() error {
	if !filepath.IsAbs(strings.ReplaceAll(c.File, "{{home}}", "/")) {
		return &composition.FieldError{Path: "file", Err: errors.New("it must be an absolute path, or begin with {{home}}")}
	}
	for i, name := range c.Names {
		if name == "" || name == "." || !filepath.IsLocal(name) || filepath.Base(name) != name {
			return &composition.FieldError{Path: fmt.Sprintf("names.%d", i), Err: errors.New("it must be the name of a file, without a folder")}
		}
	}
	return atLeast("maxBytes", c.MaxBytes, instructions.MinBytes)
}

func instructionsPlugin() composition.Plugin {
	return composition.Define("agent-instructions", "AGENTS.md files, told to the agent", composition.Definition[instructionsConfig]{
		Needs: []composition.Key{prompt.Service, home.Service},
		Defaults: func() instructionsConfig {
			return instructionsConfig{File: "{{home}}/AGENTS.md", Names: []string{"AGENTS.md", "CLAUDE.md"}, MaxBytes: 65_536}
		},
		Start: func(_ context.Context, s *composition.Scope, c instructionsConfig) error {
			file := filepath.Clean(composition.Need(s, home.Service).Expand(c.File))
			return addContext(s, instructions.New(instructions.Options{File: file, Names: c.Names, MaxBytes: c.MaxBytes}))
		},
	})
}

// environmentConfig of the row runtime-context.
type environmentConfig struct {
	// Date tells the day, and tells it again when it is another one.
	Date bool `yaml:"date"`
}

func environmentPlugin() composition.Plugin {
	return composition.Define("runtime-context", "where a session runs, told to the agent", composition.Definition[environmentConfig]{
		Needs:    []composition.Key{prompt.Service, clock.Service},
		Defaults: func() environmentConfig { return environmentConfig{Date: true} },
		Start: func(_ context.Context, s *composition.Scope, c environmentConfig) error {
			o := environment.Options{Explain: func(mode string) string { return approval.Mode(mode).Explain() }}
			if c.Date {
				o.Clock = composition.Need(s, clock.Service)
			}
			return addContext(s, environment.New(o))
		},
	})
}

// addContext adds a source of context for as long as the row lives.
func addContext(s *composition.Scope, source prompt.Source) error {
	dispose, err := composition.Need(s, prompt.Service).Add(source)
	if err != nil {
		return err
	}
	s.OnDispose("context "+source.Kind, func(context.Context) error { dispose(); return nil })
	return nil
}

func atLeast(field string, value, least int) error {
	if value < least {
		return &composition.FieldError{Path: field, Err: fmt.Errorf("it must be at least %d", least)}
	}
	return nil
}
