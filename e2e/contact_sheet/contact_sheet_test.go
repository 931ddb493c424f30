// Package contact_sheet_test photographs every surface of the page, in three widths, both themes and both languages, for people to look at.
// It is run by hand, and checks nothing but that each surface was reached:
//
//	./bazelw test //e2e/contact_sheet
//
// One page with all pictures, contact_sheet.html, lies in its undeclared outputs, and needs nothing beside it.
package contact_sheet_test

import (
	"embed"
	"encoding/base64"
	"html/template"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"keylane/scaffold"
	"keylane/scaffold/chromium"
	"keylane/scaffold/surfaces"
)

func TestMain(m *testing.M) { scaffold.Main(m) }

//go:embed contact_sheet.html.tmpl
var files embed.FS

var (
	sizes     = []struct{ width, height int }{{1680, 1000}, {1024, 800}, {480, 900}}
	languages = []string{"en-US", "zh-CN"}
	themes    = []chromium.ColorScheme{chromium.Light, chromium.Dark}
)

// A picture is of one surface; its name is also that of its file beside the sheet.
type picture struct {
	File, Width, Theme, Language string
	// Source is the picture itself, as a data URL.
	Source template.URL
}

// sheet is all pictures by surface, in the order of the walk.
type sheet struct {
	Surfaces []*surface
	byName   map[string]*surface
	folder   string
}

type surface struct {
	Name     string
	Pictures []picture
}

// photograph takes a picture of a surface in each theme.
func (c *sheet) photograph(width int, language string) surfaces.Look {
	return func(s *scaffold.Stage, name string) {
		s.Helper()
		if c.byName[name] == nil {
			c.byName[name] = &surface{Name: name}
			c.Surfaces = append(c.Surfaces, c.byName[name])
		}
		of := c.byName[name]
		for _, theme := range themes {
			if err := s.Page.Prefer(s.Context, theme); err != nil {
				s.Fatalf("%v", err)
			}
			if err := s.Page.Frames(s.Context, 2); err != nil {
				s.Fatalf("%v", err)
			}
			shot, err := s.Page.Screenshot(s.Context)
			if err != nil {
				s.Fatalf("%v", err)
			}
			p := picture{Width: strconv.Itoa(width), Theme: string(theme), Language: language, Source: template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(shot))}
			p.File = name + " " + p.Width + " " + p.Theme + " " + p.Language + ".png"
			if err := os.WriteFile(filepath.Join(c.folder, p.File), shot, 0o600); err != nil {
				s.Fatalf("writing a picture: %v", err)
			}
			of.Pictures = append(of.Pictures, p)
		}
		if err := s.Page.Prefer(s.Context, chromium.Light); err != nil {
			s.Fatalf("%v", err)
		}
	}
}

// write makes the page.
func (c *sheet) write() error {
	page, err := template.ParseFS(files, "contact_sheet.html.tmpl")
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(c.folder, "contact_sheet.html"))
	if err != nil {
		return err
	}
	if err := page.Execute(file, c); err != nil {
		_ = file.Close() // what went wrong is told
		return err
	}
	return file.Close()
}

func TestContactSheet(t *testing.T) {
	folder := os.Getenv("TEST_UNDECLARED_OUTPUTS_DIR")
	if folder == "" {
		folder = t.TempDir()
	}
	c := &sheet{byName: map[string]*surface{}, folder: folder}
	for _, language := range languages {
		for _, size := range sizes {
			t.Run(strconv.Itoa(size.width)+" "+language, func(t *testing.T) {
				page := chromium.ContextOptions{Width: size.width, Height: size.height, Locale: language}
				look := c.photograph(size.width, language)
				scaffold.Run(t, surfaces.Work(page, look))
				scaffold.Run(t, surfaces.Trouble(page, look))
			})
		}
	}
	if err := c.write(); err != nil {
		t.Fatalf("writing the sheet: %v", err)
	}
	t.Logf("the sheet is %s", filepath.Join(folder, "contact_sheet.html"))
}
