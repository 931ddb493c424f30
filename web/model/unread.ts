// Which sessions have news: their turn ended while another one was open, and
// they have not been opened since, in no tab of this browser.

import { effect, untracked, type ReadonlySignal } from "@preact/signals";
import type { Lists } from "./lists";
import type { KeptSet } from "./preferences";

/** Watches for the life of the page. `open` is the id of the session on screen. */
export function watchUnread(lists: Lists, open: ReadonlySignal<string | undefined>, kept: KeptSet): void {
  let ran: ReadonlySet<string> = new Set();
  effect(() => {
    const sessions = lists.sessions.value;
    const openId = open.value;
    const marked = kept.values.value;
    if (!lists.loaded.value) return;
    untracked(() => {
      for (const item of sessions) {
        if (ran.has(item.sessionId) && !item.running && item.sessionId !== openId) kept.put(item.sessionId, true);
      }
      const known = new Set(sessions.map((item) => item.sessionId));
      for (const id of marked) if (id === openId || !known.has(id)) kept.put(id, false);
      ran = new Set(sessions.filter((item) => item.running).map((item) => item.sessionId));
    });
  });
}
