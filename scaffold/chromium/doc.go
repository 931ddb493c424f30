// Package chromium starts one Chromium, gives it pages, and drives and watches
// them the way a person and a careful observer would. It knows no product: it
// serves any page.
//
// # How to use it
//
//	browser, err := chromium.Launch(ctx, chromium.Options{Path: path})
//	...
//	defer browser.Close()                       // check its error in tests
//	visit, err := browser.NewContext(ctx, chromium.ContextOptions{})
//	page, err := visit.NewPage(ctx)
//	err = page.Navigate(ctx, "http://127.0.0.1:8080/")
//	err = page.Click(ctx, chromium.Role("button", "Send"))
//
// One Chromium serves a whole test binary; each test takes a fresh Context
// (cookies, storage, permissions and locale of its own) and closes it.
//
// # Elements
//
// Elements are found by what a person perceives: accessibility role and name
// ([Role], [RoleContaining]), narrowed by [Query.Within]. [CSS] exists for
// stable data attributes; don't select by class names. A query that matches
// more than one element is an error, never "the first": narrow it or use
// [Query.Nth] with a reason. A failed look-up lists the candidates that were there.
//
// # Input
//
// [Page.Click], [Page.Type], [Page.Press] and [Page.Fill] send trusted events through
// the protocol's input domain, as a mouse and a keyboard do. They wait until the
// element is there, enabled, at rest and not covered.
//
// # Waiting
//
// Nothing here polls. A page reports DOM mutations (at most once per animation
// frame), changes of chosen attributes of its root element, and its protocol
// events; [Page.OnChange] makes a Page a source for package await. The observer
// lives in an isolated world: the page cannot see it and its content security
// policy does not concern it. Don't sleep, and don't look once at something transient.
//
// # What is recorded
//
// Every page error, console message, policy violation, request, navigation and
// crash of the page, its frames and its workers is an [Event] in the [Feed] of the
// context. Targets are held at their first instruction until the recording is on, so
// the first line of a worker is seen as well. Tripwires read the feed; they don't
// guess from the page.
//
// # What is left behind
//
// Nothing. Chromium runs in a process group of its own with one temporary folder
// for everything it writes. [Browser.Close] ends the group and removes the folder, and
// says what it could not remove. Should this process be killed, a small watchdog
// does the same. A Chromium that dies early closes [Browser.Done], and every waiting
// call returns an error that wraps [ErrExited] at once, with the reason.
//
// What not to do: don't give Chromium flags, folders or a search path from the
// machine (there is no fallback on purpose), and don't share a Context between tests.
package chromium
