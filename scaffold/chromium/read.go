package chromium

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// Navigate goes to the address and returns after its load event. Streams and requests of scripts may still be open then, on purpose.
func (p *Page) Navigate(ctx context.Context, url string) error {
	result, err := call(ctx, p.session, page.Navigate, page.NavigateParams{URL: url})
	switch {
	case err != nil:
		return fmt.Errorf("chromium: going to %s: %w", url, err)
	case result.ErrorText != "":
		return fmt.Errorf("chromium: going to %s: %s", url, result.ErrorText)
	case result.LoaderID == "":
		return nil // the same document
	}
	return p.waitUntil(ctx, url+" is loaded", func(s pageState) (bool, string) {
		return s.loader == result.LoaderID && s.loaded["load"] && s.world != 0,
			fmt.Sprintf("document %s at %s, life cycle %v", s.loader, s.url, s.loaded)
	})
}

// Reload loads the same address again and returns after the load event of the new document.
func (p *Page) Reload(ctx context.Context) error {
	before, err := p.state(ctx)
	if err != nil {
		return fmt.Errorf("chromium: reloading %s: %w", p.URL(), err)
	}
	if _, err := call(ctx, p.session, page.Reload, page.ReloadParams{}); err != nil {
		return fmt.Errorf("chromium: reloading %s: %w", p.URL(), err)
	}
	return p.waitUntil(ctx, before.url+" is loaded again", func(s pageState) (bool, string) {
		return s.loader != before.loader && s.loaded["load"] && s.world != 0,
			fmt.Sprintf("document %s at %s, life cycle %v", s.loader, s.url, s.loaded)
	})
}

// Eval evaluates the expression in the page's own world, waits for a promise, and decodes the result from JSON. An exception is an error with its stack.
// undefined decodes as null does. Prefer roles, names and attributes: what only a script can see, a person can't.
func Eval[T any](ctx context.Context, p *Page, expression string) (T, error) {
	yes := true
	return decode[T](call(ctx, p.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: new(bool),
	}))
}

// evalObserver evaluates in the observer's world of the current document.
func evalObserver[T any](ctx context.Context, p *Page, expression string) (T, error) {
	var zero T
	yes := true
	for {
		world, err := p.observerWorld(ctx)
		if err != nil {
			return zero, err
		}
		result, err := call(ctx, p.session, runtime.Evaluate, runtime.EvaluateParams{
			Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes, ContextID: world,
		})
		if err == nil || !isProtocolError(err) {
			return decode[T](result, err)
		}
		// The document went away under the call; with the same document, the error is about the expression.
		if now, stateErr := p.state(ctx); stateErr != nil || now.world == world {
			return zero, err
		}
	}
}

func (p *Page) observerWorld(ctx context.Context) (runtime.ExecutionContextID, error) {
	var world runtime.ExecutionContextID
	err := p.waitUntil(ctx, "the page has a document", func(s pageState) (bool, string) {
		world = s.world
		return world != 0, "it is between two documents"
	})
	return world, err
}

func decode[T any](result runtime.EvaluateResult, err error) (T, error) {
	return decodeObject[T](result.Result, result.ExceptionDetails, err)
}

func decodeObject[T any](object *runtime.RemoteObject, exception *runtime.ExceptionDetails, err error) (T, error) {
	var value T
	switch {
	case err != nil:
		return value, err
	case exception != nil:
		return value, fmt.Errorf("chromium: evaluating in the page: %s", pageError(exception).Text)
	case object.UnserializableValue != "":
		return value, fmt.Errorf("chromium: evaluating in the page: the result %s is not JSON", object.UnserializableValue)
	case len(object.Value) == 0: // undefined
		return value, nil
	}
	if err := json.Unmarshal(object.Value, &value); err != nil {
		return value, fmt.Errorf("chromium: evaluating in the page: the result %s: %w", object.Value, err)
	}
	return value, nil
}

func decodeString(value jsonv2.Value) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// Attribute reads an attribute of the one element that the selector matches, as it is now.
func (p *Page) Attribute(ctx context.Context, selector, name string) (value string, present bool, err error) {
	found, err := evalObserver[struct {
		Count int     `json:"count"`
		Value *string `json:"value"`
	}](ctx, p, fmt.Sprintf(`(() => { const all = document.querySelectorAll(%s);
		return { count: all.length, value: all.length === 1 ? all[0].getAttribute(%s) : null } })()`, quote(selector), quote(name)))
	switch {
	case err != nil:
		return "", false, err
	case found.Count != 1:
		return "", false, fmt.Errorf("chromium: attribute %s: %d elements match %s, want exactly one", name, found.Count, selector)
	case found.Value == nil:
		return "", false, nil
	}
	return *found.Value, true, nil
}

// Screenshot returns the viewport as PNG.
func (p *Page) Screenshot(ctx context.Context) ([]byte, error) {
	yes := true
	shot, err := call(ctx, p.session, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, FromSurface: &yes,
	})
	if err != nil {
		return nil, fmt.Errorf("chromium: taking a screenshot: %w", err)
	}
	return shot.Data, nil
}

// ReadClipboard returns the text on the clipboard.
func (p *Page) ReadClipboard(ctx context.Context) (string, error) {
	return Eval[string](ctx, p, "navigator.clipboard.readText()")
}

// Frames returns after the page has drawn n more animation frames.
func (p *Page) Frames(ctx context.Context, n int) error {
	_, err := evalObserver[any](ctx, p, fmt.Sprintf(
		`(async () => { for (let i = 0; i < %d; i++) await new Promise(requestAnimationFrame) })()`, n))
	return err
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return `""` // a string always encodes
	}
	return string(quoted)
}
