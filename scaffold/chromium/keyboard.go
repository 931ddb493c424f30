package chromium

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// Focus gives the element the keyboard focus, without a click.
func (p *Page) Focus(ctx context.Context, q Query) error {
	found, err := p.WaitFor(ctx, q)
	if err != nil {
		return err
	}
	if _, err := call(ctx, p.session, dom.Focus, dom.FocusParams{BackendNodeID: found.Node}); err != nil {
		return fmt.Errorf("chromium: focusing %s: %w", q, err)
	}
	return nil
}

// Type types into what has the focus, one key after the other. A newline is Enter. What no
// key of an English keyboard produces (汉, é, 🙂) arrives as an input method delivers it: inserted, without key events.
func (p *Page) Type(ctx context.Context, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("chromium: typing %q: not valid UTF-8", text)
	}
	for _, r := range text {
		if _, known := kb.Keys[r]; !known {
			if _, err := call(ctx, p.session, input.InsertText, input.InsertTextParams{Text: string(r)}); err != nil {
				return fmt.Errorf("chromium: typing %q: %w", r, err)
			}
			continue
		}
		for _, event := range kb.Encode(r) {
			if err := p.key(ctx, *event); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Page) key(ctx context.Context, event input.DispatchKeyEventParams) error {
	if _, err := call(ctx, p.session, input.DispatchKeyEvent, event); err != nil {
		return fmt.Errorf("chromium: sending %s %s: %w", event.Type, event.Key, err)
	}
	return nil
}

// modifiers in the order in which they are held down.
var modifiers = []struct {
	name string
	bit  kb.Modifier
	code string
	key  int64 // Windows virtual key code
}{
	{"Control", kb.ModifierCtrl, "ControlLeft", 17},
	{"Alt", kb.ModifierAlt, "AltLeft", 18},
	{"Shift", kb.ModifierShift, "ShiftLeft", 16},
	{"Meta", kb.ModifierMeta, "MetaLeft", 91},
}

// Press presses one key, held together with modifiers: "Enter", "Shift+Tab", "Control+a", "Meta+Enter", "ArrowDown", "PageUp".
// Names are those of KeyboardEvent.key; modifiers are Control, Alt, Shift, Meta.
func (p *Page) Press(ctx context.Context, combination string) error {
	names := strings.Split(combination, "+")
	name := names[len(names)-1]
	if strings.HasSuffix(combination, "++") || combination == "+" {
		name, names = "+", append(strings.Split(strings.TrimSuffix(combination, "+"), "+"), "")
	}
	key, err := keyNamed(name)
	if err != nil {
		return err
	}
	var held kb.Modifier
	var down, up []input.DispatchKeyEventParams
	for _, wanted := range names[:len(names)-1] {
		if wanted == "" {
			continue
		}
		known := false
		for _, m := range modifiers {
			if m.name != wanted {
				continue
			}
			known = true
			held |= m.bit
			event := input.DispatchKeyEventParams{Key: m.name, Code: m.code, WindowsVirtualKeyCode: m.key, NativeVirtualKeyCode: m.key}
			event.Type, event.Modifiers = input.DispatchKeyEventTypeRawKeyDown, held.Int64()
			down = append(down, event)
			event.Type, event.Modifiers = input.DispatchKeyEventTypeKeyUp, (held &^ m.bit).Int64()
			up = append([]input.DispatchKeyEventParams{event}, up...)
		}
		if !known {
			return fmt.Errorf("chromium: pressing %q: %q is not a modifier (Control, Alt, Shift, Meta)", combination, wanted)
		}
	}
	press := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: key.Key, Code: key.Code, Modifiers: held.Int64(),
		WindowsVirtualKeyCode: key.Windows, NativeVirtualKeyCode: key.Native,
	}
	if key.Print && held&^kb.ModifierShift == 0 {
		press.Type, press.Text, press.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, key.Text, key.Unmodified
	}
	if name == "Enter" {
		press.Type, press.Text, press.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, "\r", "\r"
	}
	release := press
	release.Type, release.Text, release.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	for _, event := range append(append(down, press, release), up...) {
		if err := p.key(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

func keyNamed(name string) (kb.Key, error) {
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && size > 0 {
		if key := kb.Keys[r]; key != nil && key.Print {
			return *key, nil
		}
	}
	if name == "Space" {
		return *kb.Keys[' '], nil
	}
	// Several entries can share a name (left and right, numpad): the smallest is the plain one.
	for _, r := range slices.Sorted(maps.Keys(kb.Keys)) {
		if key := kb.Keys[r]; key.Key == name && !strings.HasPrefix(key.Code, "Numpad") {
			return *key, nil
		}
	}
	return kb.Key{}, fmt.Errorf("chromium: pressing %q: no such key; use KeyboardEvent.key names such as Enter, Escape, ArrowDown or a character", name)
}

// Fill replaces the text of an editable element: it is clicked, everything in it is selected, and the text is inserted as one trusted input event. An empty text deletes.
func (p *Page) Fill(ctx context.Context, q Query, text string) error {
	if err := p.Click(ctx, q); err != nil {
		return err
	}
	if err := p.Press(ctx, "Control+a"); err != nil {
		return err
	}
	if text == "" {
		return p.Press(ctx, "Delete")
	}
	if _, err := call(ctx, p.session, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		return fmt.Errorf("chromium: filling %s: %w", q, err)
	}
	return nil
}
