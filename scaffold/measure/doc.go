// Package measure takes figures of a page and writes them down so that two sets of them can be compared. It serves any page and knows no
// product: what is awaited is said as JavaScript expressions, what is typed and clicked is the caller's.
//
//	clock, err := measure.Arm(ctx, page, measure.Watch{
//		From:  measure.Click,
//		Marks: []measure.Mark{{Name: "echo", Met: `document.body.innerText.includes("hello")`}},
//		Mutations: "main", // the element in which mutations are counted
//	})
//	err = page.Click(ctx, button)
//	times, err := clock.Read(ctx)             // times.Seen["echo"], times.Painted["echo"]: milliseconds after the trusted click
//	cost, err := measure.Cost(ctx, page)      // nodes, listeners and heap after a forced collection, main-thread time so far
//
//	result := measure.New("soak", browser.Version(), version)
//	result.Add("click to echo", "ms", times.Seen["echo"])
//	err = result.Write()                      // <name>.json in the test's undeclared outputs
//
// Times are the page's own: a clock in the page begins at a trusted event (or at the navigation) and looks after each batch of mutations, so
// the way of a protocol message is in no figure. A mark is painted when a task that was posted from an animation frame runs: the frame that
// shows it is then drawn. What the clock itself costs is one evaluation of the open marks for each batch.
//
// Nothing here fails because something is slow. What a figure should be stands in docs/performance.md, and whether two sets differ is what
// //tools:bench tells.
package measure
