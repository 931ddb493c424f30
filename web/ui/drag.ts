// Moves a row of a list with the mouse or a pen. A finger scrolls the list; it
// has whatever else moves a row.

import { signal } from "@preact/signals";

/** How far a press travels before it is a drag, in CSS pixels. */
const threshold = 4;

interface Drag {
  readonly itemId: string;
  readonly pointerId: number;
  readonly from: number;
  /** In front of which row it would land: a position, or the number of rows for the end. Undefined while it is a press only. */
  readonly to: number | undefined;
}

function above(rows: readonly Element[], clientY: number): number {
  const below = rows.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return clientY < top + height / 2;
  });
  return below < 0 ? rows.length : below;
}

/** One for a list. The row's element hands it the press, the list's what follows. */
export class RowDrag {
  readonly current = signal<Drag | undefined>(undefined);

  start(event: PointerEvent, itemId: string): void {
    if (event.button !== 0 || event.pointerType === "touch" || (event.target as Element).closest("button")) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.current.value = { itemId, pointerId: event.pointerId, from: event.clientY, to: undefined };
  }

  /** `rows` are the list's rows in order, or what tells in front of which row a height of the window is. */
  move(event: PointerEvent, rows: readonly Element[] | ((clientY: number) => number)): void {
    const drag = this.current.value;
    if (!drag || drag.pointerId !== event.pointerId) return;
    if (drag.to === undefined && Math.abs(event.clientY - drag.from) < threshold) return;
    this.over(typeof rows === "function" ? rows(event.clientY) : above(rows, event.clientY));
  }

  /** It would land in front of that row now, though the pointer may have rested: the list has scrolled below it. */
  over(to: number): void {
    const drag = this.current.value;
    if (drag && drag.to !== to) this.current.value = { ...drag, to };
  }

  /** Ends it and returns where the row was let go; undefined when it was not dragged. */
  end(): number | undefined {
    const to = this.current.value?.to;
    this.current.value = undefined;
    return to;
  }
}

/** How near to an edge of a list a drag scrolls it, and how far in one frame at the edge itself, in CSS pixels. */
const edge = 40;
const fastest = 20;

/** Scrolls a list while something is dragged near its upper or lower edge. One for a list; whoever made it stops it. */
export class EdgeScroll {
  #frame = 0;
  #clientY = 0;

  /** The pointer is there now. `scrolled` is told after each step, with that height. */
  at(clientY: number, list: HTMLElement, scrolled: (clientY: number) => void): void {
    this.#clientY = clientY;
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#step(list, scrolled));
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #step(list: HTMLElement, scrolled: (clientY: number) => void): void {
    this.#frame = 0;
    const { top, bottom } = list.getBoundingClientRect();
    const before = list.scrollTop;
    list.scrollTop += speed(this.#clientY, top, bottom);
    if (list.scrollTop === before) return; // away from the edges, or at the end: the next move asks again
    scrolled(this.#clientY);
    this.at(this.#clientY, list, scrolled);
  }
}

/** How far a list between two heights scrolls in one frame: the faster the nearer its edge is, up when negative. */
export function speed(clientY: number, top: number, bottom: number): number {
  const into = (depth: number) => Math.ceil(fastest * Math.min(1, Math.max(0, depth / edge)));
  return clientY < (top + bottom) / 2 ? -into(top + edge - clientY) || 0 : into(clientY - (bottom - edge));
}
