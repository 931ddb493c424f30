package workbench

import (
	"fmt"

	"github.com/chromedp/cdproto/input"

	"keylane/scaffold/chromium"
	"keylane/scaffold/measure"
)

// Rests is true in a page that has everything and does nothing.
const Rests = `document.documentElement.dataset.connection === "connected" && document.documentElement.dataset.lists === "loaded" && document.documentElement.dataset.busy === "false"`

// Go opens a path of the host and returns when all marks, and after them Rests, were met and painted. Times count from the navigation. The
// mark of Rests is called "rests".
func (b *Bench) Go(path string, marks ...measure.Mark) measure.Times {
	b.Helper()
	ctx, cancel := b.within()
	defer cancel()
	clock, err := measure.ArmNext(ctx, b.Page, measure.Watch{Marks: append(marks, measure.Mark{Name: "rests", Met: Rests})})
	b.must(err)
	b.must(b.Page.Navigate(ctx, b.Host.URL()+path[1:]))
	times, err := clock.Read(ctx)
	b.must(err)
	return times
}

// Timed performs a gesture and returns when all marks were met and painted. Times count from the first trusted event of the kind.
func (b *Bench) Timed(from measure.Start, gesture func(), marks ...measure.Mark) measure.Times {
	b.Helper()
	return b.watched(measure.Watch{From: from, Marks: marks}, gesture)
}

func (b *Bench) watched(watch measure.Watch, gesture func()) measure.Times {
	b.Helper()
	ctx, cancel := b.within()
	defer cancel()
	clock, err := measure.Arm(ctx, b.Page, watch)
	b.must(err)
	gesture()
	times, err := clock.Read(ctx)
	b.must(err)
	return times
}

// Click clicks the one element of a selector. Roles would be found by way of the accessibility tree, which costs the page what is measured.
func (b *Bench) Click(selector string) {
	b.Helper()
	ctx, cancel := b.within()
	defer cancel()
	b.must(b.Page.Click(ctx, chromium.CSS(selector)))
}

// Put puts a text where the focus is, as a paste does: with one event, however long it is.
func (b *Bench) Put(text string) {
	b.Helper()
	_, err := chromium.Call(b.Context(), b.Page, input.InsertText, input.InsertTextParams{Text: text})
	b.must(err)
}

// Press presses a key.
func (b *Bench) Press(key string) {
	b.Helper()
	b.must(b.Page.Press(b.Context(), key))
}

// Eval evaluates an expression of the page.
func Eval[T any](b *Bench, expression string) T {
	b.Helper()
	ctx, cancel := b.within()
	defer cancel()
	value, err := chromium.Eval[T](ctx, b.Page, expression)
	b.must(err)
	return value
}

// Cost adds to the result what the page holds after a collection, and returns it. When is said in each figure's name.
func (b *Bench) Cost(when string) measure.Costs {
	b.Helper()
	costs, err := measure.Cost(b.Context(), b.Page)
	b.must(err)
	b.Result.Add("nodes "+when, "count", costs.Nodes)
	b.Result.Add("listeners "+when, "count", costs.Listeners)
	b.Result.Add("heap "+when, "MiB", costs.HeapMiB)
	return costs
}

// Resident adds to the result the memory that the host holds.
func (b *Bench) Resident(when string) {
	b.Helper()
	held, err := b.Host.ResidentMiB()
	b.must(err)
	b.Result.Add("host's memory "+when, "MiB", held)
}

// ClickText clicks, in its middle, the first visible element of a selector with exactly this text.
func (b *Bench) ClickText(selector, text string) {
	b.Helper()
	ctx, cancel := b.within()
	defer cancel()
	type point struct{ X, Y float64 }
	at := Eval[*point](b, fmt.Sprintf(`(() => {
		const found = [...document.querySelectorAll(%q)].find((each) => each.textContent.trim() === %q && each.getClientRects().length > 0);
		if (!found) return null;
		found.scrollIntoView({ block: "nearest" });
		const { x, y, width, height } = found.getBoundingClientRect();
		return { X: x + width / 2, Y: y + height / 2 };
	})()`, selector, text))
	if at == nil {
		b.must(fmt.Errorf("workbench: no %s says %q", selector, text))
	}
	b.must(b.Page.ClickAt(ctx, at.X, at.Y, input.MouseButtonLeft, 1))
}

// Choose chooses a model for the open session and waits until the page has it.
func (b *Bench) Choose(model string) {
	b.Helper()
	Eval[any](b, fmt.Sprintf(`(async () => {
		const choice = document.querySelector(".composer-model select");
		choice.value = [...choice.options].find((each) => each.value.includes(%q)).value;
		choice.dispatchEvent(new Event("change", { bubbles: true }));
		while (!(%s)) await new Promise(requestAnimationFrame);
	})()`, model, Rests))
}
