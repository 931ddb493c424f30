// Who owns the scroll position. Pinned to the bottom, the view follows all
// growth; away from it, nothing but the reader moves it. Only a reader's own
// scrolling changes which of the two it is, whatever device it comes from: a
// scroll event that lands where this file put the view is ours, any other is
// theirs.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { OpenSession } from "keylane";
import { chainWheel } from "./chain";
import { leavePlace, movedBy, placeIn, readingIn, rowIn, type Reading } from "./reading";

/** This close to the bottom counts as being there, in pixels, for a reader who comes down to it. */
const threshold = 24;

interface StickyScroll {
  /** The reader has scrolled up. */
  readonly away: ReadonlySignal<boolean>;
  toBottom(): void;
  /** Puts a row into the middle of the view, and stays there. */
  toRow(key: string): void;
}

/**
 * `firstKey` names the first row: when it changes, rows came in front and the view keeps what it shows. When the session's transcript comes
 * back to the page, the reader is where they left it.
 */
export function useStickyScroll(port: RefObject<HTMLDivElement | null>, content: RefObject<HTMLDivElement | null>, firstKey: string | undefined, session: OpenSession): StickyScroll {
  const away = useSignal(false);
  const state = useRef({ written: 0, lead: 0, holding: false, firstKey, width: 0, reading: undefined as Reading | undefined });

  const write = (top: number) => {
    if (!port.current) return;
    port.current.scrollTop = top;
    state.current.written = port.current.scrollTop;
  };

  /** How far below the content's top a row begins; undefined for one that isn't there. */
  const below = (key: string | undefined) => {
    const inner = content.current;
    const row = key === undefined || !inner ? null : rowIn(inner, key);
    return inner && row ? row.getBoundingClientRect().top - inner.getBoundingClientRect().top : undefined;
  };

  useLayoutEffect(() => {
    const view = port.current;
    const inner = content.current;
    if (!view || !inner) return;
    const distance = () => view.scrollHeight - view.clientHeight - view.scrollTop;
    const note = () => (state.current.reading = away.value ? readingIn(view) : undefined);
    /** Something above changed its height, or a column its width and every line broke anew: what is read stays where it is. */
    const keep = (broken: boolean) => {
      const moved = state.current.reading && movedBy(state.current.reading, view, broken);
      if (moved !== undefined && Math.abs(moved) > 0.5) write(view.scrollTop + moved);
    };
    const settle = () => {
      const { width, holding } = state.current;
      state.current.width = view.clientWidth;
      state.current.holding = false;
      const broken = away.value && width !== view.clientWidth;
      if (broken) keep(true);
      else if (holding) away.value = distance() > threshold;
      else if (away.value) keep(false);
      else write(view.scrollHeight);
      state.current.lead = below(state.current.firstKey) ?? 0;
      // A column on its way to another width goes through many: all of them keep what was read before the first.
      if (!broken || !state.current.reading?.element.isConnected) note();
    };
    /** The view is where this file put it, or where a floor that has come up has pushed it. */
    const ours = () => Math.abs(view.scrollTop - Math.min(state.current.written, view.scrollHeight - view.clientHeight)) <= 0.5;
    // Content may shrink and grow again before the next frame. Its floor in between is gone by the time
    // of the scroll event, which would then look like the reader's; so the view follows each change at once.
    const follow = () => {
      if (!away.value && !state.current.holding && ours()) write(view.scrollHeight);
    };
    const onScroll = () => {
      if (ours()) return;
      // A reader who goes up has left, however little: a slow finger must not be pulled back by every line that comes.
      const up = view.scrollTop < state.current.written;
      state.current.written = view.scrollTop;
      away.value = distance() > (up ? 1 : threshold);
      note();
    };
    // Opening a row is the reader's doing: what stands above it must not move.
    const onClick = (event: MouseEvent) => {
      if ((event.target as Element).closest("[aria-expanded]")) state.current.holding = true;
    };
    const before = placeIn(session);
    const row = before && rowIn(view, before.key);
    if (before && row) {
      write(view.scrollTop + row.getBoundingClientRect().top - view.getBoundingClientRect().top - before.below);
      away.value = true;
    } else {
      write(view.scrollHeight);
    }
    state.current.lead = below(state.current.firstKey) ?? 0;
    state.current.width = view.clientWidth;
    note();
    const observer = new ResizeObserver(settle);
    observer.observe(view);
    observer.observe(inner);
    const changes = new MutationObserver(follow);
    changes.observe(inner, { childList: true, characterData: true, subtree: true });
    view.addEventListener("scroll", onScroll, { passive: true });
    view.addEventListener("click", onClick, { capture: true });
    const around = view.closest("main");
    const unchain = around ? chainWheel(view, around) : undefined;
    return () => {
      leavePlace(session, view, !away.value);
      observer.disconnect();
      changes.disconnect();
      view.removeEventListener("scroll", onScroll);
      view.removeEventListener("click", onClick, { capture: true });
      unchain?.();
    };
  }, []);

  useLayoutEffect(() => {
    const view = port.current;
    if (!view || state.current.firstKey === firstKey) return;
    // What was the first row tells how much came in front of it, whatever else grows in the same moment.
    const moved = below(state.current.firstKey);
    if (away.value && moved !== undefined) write(view.scrollTop + moved - state.current.lead);
    state.current.firstKey = firstKey;
    state.current.lead = below(firstKey) ?? 0;
  }, [firstKey]);

  return {
    away,
    toBottom: () => {
      away.value = false;
      write(port.current?.scrollHeight ?? 0);
    },
    toRow: (key) => {
      const view = port.current;
      const row = view && rowIn(view, key);
      if (!view || !row) return;
      const { top, height } = row.getBoundingClientRect();
      write(view.scrollTop + top - view.getBoundingClientRect().top - Math.max(16, (view.clientHeight - height) / 2));
      away.value = view.scrollHeight - view.clientHeight - view.scrollTop > threshold;
      state.current.reading = away.value ? readingIn(view) : undefined;
    },
  };
}
