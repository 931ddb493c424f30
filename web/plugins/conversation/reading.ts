// What a reader is reading, in two forms: the element on screen, which must
// not move while the page is up, and the row, which is found again when the
// transcript comes back to the page.

import type { OpenSession } from "keylane";

/** The innermost element at the top of the view. */
export interface Reading {
  readonly element: Element;
  /** The row that it is in, which stays when the element is made anew. */
  readonly row: Element;
  /** How far below the edge they begin, in pixels; negative above it. */
  readonly below: number;
  readonly rowBelow: number;
  /** The part of the element's height that is above the edge, 0 to 1: where its lines break anew, pixels say nothing. */
  readonly share: number;
}

/** What is read of the rows in view; what stands around them, such as the way to earlier ones, is read by nobody. */
export function readingIn(view: HTMLElement): Reading | undefined {
  const edge = view.getBoundingClientRect().top;
  const row = firstBelow(view.querySelectorAll("[data-row-key]"), edge);
  if (!row) return undefined;
  let element = row;
  while (element.getBoundingClientRect().top < edge) {
    const child = firstBelow(element.children, edge);
    if (!child) break;
    element = child;
  }
  const { top, height } = element.getBoundingClientRect();
  return { element, row, below: top - edge, rowBelow: row.getBoundingClientRect().top - edge, share: top < edge ? (edge - top) / height : 0 };
}

/** The first child with something below the edge. They stand one below the other. */
function firstBelow<E extends Element>(children: Iterable<E>, edge: number): E | undefined {
  for (const child of children) {
    const { bottom, height } = child.getBoundingClientRect();
    if (height > 0 && bottom > edge) return child;
  }
  return undefined;
}

/** By how much what was read has moved down since; undefined when it is gone. `broken`: the lines broke anew. */
export function movedBy(reading: Reading, view: HTMLElement, broken: boolean): number | undefined {
  const edge = view.getBoundingClientRect().top;
  if (reading.element.isConnected) {
    const { top, height } = reading.element.getBoundingClientRect();
    return broken ? top - edge + reading.share * height - Math.max(0, reading.below) : top - edge - reading.below;
  }
  return reading.row.isConnected ? reading.row.getBoundingClientRect().top - edge - reading.rowBelow : undefined;
}

export function rowIn(view: HTMLElement, key: string): HTMLElement | null {
  return view.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(key)}"]`);
}

/** The row at the top of the view, and how far below the edge it begins. */
interface Place {
  readonly key: string;
  readonly below: number;
  /** Of an event that the row tells of: how far back the window has to reach. */
  readonly seq: number;
}

/** Where readers were in transcripts that have left the page, by session; none where they were at the end. */
const places = new Map<string, Place>();

export function placeIn(session: OpenSession): Place | undefined {
  return places.get(session.id);
}

/** Remembers what is read, or, for a reader at the end, that there is nothing to remember. */
export function leavePlace(session: OpenSession, view: HTMLElement, atEnd: boolean): void {
  const row = atEnd ? undefined : firstBelow(view.querySelectorAll<HTMLElement>("[data-row-key]"), view.getBoundingClientRect().top);
  const key = row?.dataset["rowKey"];
  const seq = key === undefined ? undefined : session.eventOf(key);
  if (row && key !== undefined && seq !== undefined) places.set(session.id, { key, seq, below: row.getBoundingClientRect().top - view.getBoundingClientRect().top });
  else places.delete(session.id);
}
