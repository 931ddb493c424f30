package chromium

import (
	"context"
	"fmt"
	"unicode/utf16"

	"github.com/chromedp/cdproto/input"
)

// Compose shows text in what has the focus as an input method does while a person composes: the page gets compositionstart or
// compositionupdate, and input. The caret stands at the end. An empty text gives the composition up.
func (p *Page) Compose(ctx context.Context, text string) error {
	end := int64(len(utf16.Encode([]rune(text))))
	if _, err := call(ctx, p.session, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: end, SelectionEnd: end}); err != nil {
		return fmt.Errorf("chromium: composing %q: %w", text, err)
	}
	return nil
}

// Commit ends a composition with the text that the person chose: the page gets compositionend.
func (p *Page) Commit(ctx context.Context, text string) error {
	if _, err := call(ctx, p.session, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		return fmt.Errorf("chromium: committing %q: %w", text, err)
	}
	return nil
}

// processKey is the key code of a press that an input method has taken for itself (UI Events, "keyCode values").
const processKey = 229

// PressComposing presses a key that the input method takes, such as the Enter that ends a composition: a keydown and keyup with the key
// code 229. During a composition that is what Chromium and Firefox report; sent after Commit it is what Safari does.
func (p *Page) PressComposing(ctx context.Context, name string) error {
	key, err := keyNamed(name)
	if err != nil {
		return err
	}
	press := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: key.Key, Code: key.Code, WindowsVirtualKeyCode: processKey, NativeVirtualKeyCode: processKey,
	}
	if err := p.key(ctx, press); err != nil {
		return err
	}
	press.Type, press.WindowsVirtualKeyCode, press.NativeVirtualKeyCode = input.DispatchKeyEventTypeKeyUp, key.Windows, key.Native
	return p.key(ctx, press)
}
