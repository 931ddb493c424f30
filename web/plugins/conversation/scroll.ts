// Who owns the scroll position. Pinned to the bottom, the view follows all
// growth; away from it, nothing but the reader moves it. Only a reader's own
// scrolling changes which of the two it is, whatever device it comes from: a
// scroll event that lands where this file put the view is ours, any other is
// theirs.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** This close to the bottom counts as being there, in pixels. */
const threshold = 24;

interface StickyScroll {
  /** The reader has scrolled up. */
  readonly away: ReadonlySignal<boolean>;
  toBottom(): void;
  /** Puts a row into the middle of the view, and stays there. */
  toRow(key: string): void;
}

/** The row at the top of the view and how far below the edge it begins. */
interface Position {
  readonly key: string;
  readonly below: number;
}

/** Where readers were in transcripts that have left the page, by what identifies the transcript; none where they were at the end. */
const left = new WeakMap<object, Position>();

function rowIn(view: HTMLElement, key: string): HTMLElement | null {
  return view.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(key)}"]`);
}

function positionOf(view: HTMLElement): Position | undefined {
  const edge = view.getBoundingClientRect().top;
  for (const row of view.querySelectorAll<HTMLElement>("[data-row-key]")) {
    const { top, bottom } = row.getBoundingClientRect();
    if (bottom > edge) return { key: row.dataset["rowKey"]!, below: top - edge };
  }
  return undefined;
}

/** What a reader is reading: the innermost element at the top of the view, and how much of its height is above the edge. */
interface Reading {
  readonly element: Element;
  /** How far below the edge it begins, in pixels, or 0. */
  readonly below: number;
  /** The part of its height that is above the edge, 0 to 1: where its lines break anew, pixels say nothing. */
  readonly share: number;
}

function readingIn(view: HTMLElement, inner: HTMLElement): Reading | undefined {
  const edge = view.getBoundingClientRect().top;
  let found: Element = inner;
  for (;;) {
    const child = [...found.children].find((each) => {
      const { bottom, height } = each.getBoundingClientRect();
      return height > 0 && bottom > edge;
    });
    if (!child) break;
    found = child;
    if (child.getBoundingClientRect().top >= edge) break;
  }
  if (found === inner) return undefined;
  const { top, height } = found.getBoundingClientRect();
  return { element: found, below: Math.max(0, top - edge), share: top < edge ? (edge - top) / height : 0 };
}

/**
 * `firstKey` names the first row: when it changes, rows came in front and the view keeps what it shows. `owner` is whose transcript it is:
 * when it comes back to the page, the reader is where they left it.
 */
export function useStickyScroll(port: RefObject<HTMLDivElement | null>, content: RefObject<HTMLDivElement | null>, firstKey: string | undefined, owner: object): StickyScroll {
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
    const row = key === undefined ? null : inner?.querySelector(`[data-row-key="${CSS.escape(key)}"]`);
    return inner && row ? row.getBoundingClientRect().top - inner.getBoundingClientRect().top : undefined;
  };

  useLayoutEffect(() => {
    const view = port.current;
    const inner = content.current;
    if (!view || !inner) return;
    const distance = () => view.scrollHeight - view.clientHeight - view.scrollTop;
    const note = () => (state.current.reading = away.value ? readingIn(view, inner) : undefined);
    /** A column came, went or changed its width and every line broke anew: the one that is read stays where it is. */
    const keep = () => {
      const { reading } = state.current;
      if (!reading?.element.isConnected) return;
      const { top, height } = reading.element.getBoundingClientRect();
      write(view.scrollTop + top + reading.share * height - view.getBoundingClientRect().top - reading.below);
    };
    const settle = () => {
      const { width } = state.current;
      state.current.width = view.clientWidth;
      const broken = away.value && width !== view.clientWidth;
      if (broken) {
        state.current.holding = false;
        keep();
      } else if (state.current.holding) {
        state.current.holding = false;
        away.value = distance() > threshold;
      } else if (!away.value) {
        write(view.scrollHeight);
      }
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
      state.current.written = view.scrollTop;
      away.value = distance() > threshold;
      note();
    };
    // Opening a row is the reader's doing: what stands above it must not move.
    const onClick = (event: MouseEvent) => {
      if ((event.target as Element).closest("[aria-expanded]")) state.current.holding = true;
    };
    const before = left.get(owner);
    const row = before && rowIn(view, before.key);
    if (before && row) {
      write(view.scrollTop + row.getBoundingClientRect().top - view.getBoundingClientRect().top - before.below);
      away.value = distance() > threshold;
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
    return () => {
      const position = away.value ? positionOf(view) : undefined;
      if (position) left.set(owner, position);
      else left.delete(owner);
      observer.disconnect();
      changes.disconnect();
      view.removeEventListener("scroll", onScroll);
      view.removeEventListener("click", onClick, { capture: true });
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
      state.current.reading = away.value && content.current ? readingIn(view, content.current) : undefined;
    },
  };
}
