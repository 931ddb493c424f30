package chromium

import (
	"fmt"
	"time"
)

// clockScript makes Date tell one time, always: for pages that say how long ago something was. Timers and performance.now() run on, and
// so does Intl without a date.
func clockScript(at time.Time) string {
	return fmt.Sprintf(`(at => {
  globalThis.Date = new Proxy(Date, {
    construct: (real, given, target) => Reflect.construct(real, given.length ? given : [at], target),
    apply: real => new real(at).toString(),
    get: (real, key) => key === "now" ? () => at : Reflect.get(real, key),
  });
})(%d)`, at.UnixMilli())
}
