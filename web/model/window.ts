// The part of a session's log that the page holds: one contiguous range of
// events, told apart by nothing but seq. Pure; session.ts does the fetching.

import type { ViewedEvent } from "../wire/types";

export interface LogWindow {
  /** Ascending, contiguous. */
  readonly events: readonly ViewedEvent[];
  /** Older events exist before the first one. */
  readonly hasMore: boolean;
}

export const emptyWindow: LogWindow = { events: [], hasMore: false };

/** Seq of the last event held, -1 when there is none. */
export function tailSeq(window: LogWindow): number {
  return window.events.at(-1)?.event.seq ?? -1;
}

export function headSeq(window: LogWindow): number {
  return window.events[0]?.event.seq ?? 0;
}

/** What became of live events offered to a window. */
export interface Extension {
  readonly window: LogWindow;
  /** Those that were taken, in order. */
  readonly taken: readonly ViewedEvent[];
  /** Those that lie beyond a gap: keep them and fetch what is missing. */
  readonly beyond: readonly ViewedEvent[];
}

/** Appends live events (any order, duplicates allowed) as far as they continue the window. */
export function extend(window: LogWindow, live: readonly ViewedEvent[]): Extension {
  const sorted = live.length > 1 ? [...live].sort((a, b) => a.event.seq - b.event.seq) : live;
  const taken: ViewedEvent[] = [];
  const beyond: ViewedEvent[] = [];
  let next = tailSeq(window) + 1;
  for (const item of sorted) {
    if (item.event.seq < next) continue;
    if (item.event.seq === next) {
      taken.push(item);
      next++;
    } else {
      beyond.push(item);
    }
  }
  return { window: taken.length === 0 ? window : { ...window, events: window.events.concat(taken) }, taken, beyond };
}

/**
 * Joins a freshly fetched tail page: overlapping or adjoining pages extend the
 * window, a page beyond a gap replaces it.
 */
export function joinTail(window: LogWindow, page: LogWindow): LogWindow {
  if (window.events.length === 0 || page.events.length === 0) return page.events.length === 0 ? window : page;
  if (headSeq(page) > tailSeq(window) + 1) return page;
  return extend(window, page.events).window;
}

/** Puts an older page in front, or returns undefined when it doesn't end where the window begins. */
export function joinHead(window: LogWindow, page: LogWindow): LogWindow | undefined {
  if (page.events.length === 0) return { ...window, hasMore: page.hasMore };
  if (tailSeq(page) + 1 !== headSeq(window)) return undefined;
  return { events: page.events.concat(window.events), hasMore: page.hasMore };
}
