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

/** One for a list. The row's element hands it the press, the list's what follows. */
export class RowDrag {
  readonly current = signal<Drag | undefined>(undefined);

  start(event: PointerEvent, itemId: string): void {
    if (event.button !== 0 || event.pointerType === "touch" || (event.target as Element).closest("button")) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.current.value = { itemId, pointerId: event.pointerId, from: event.clientY, to: undefined };
  }

  /** `rows` are the list's rows in order. */
  move(event: PointerEvent, rows: readonly Element[]): void {
    const drag = this.current.value;
    if (!drag || drag.pointerId !== event.pointerId) return;
    if (drag.to === undefined && Math.abs(event.clientY - drag.from) < threshold) return;
    const below = rows.findIndex((row) => {
      const { top, height } = row.getBoundingClientRect();
      return event.clientY < top + height / 2;
    });
    this.current.value = { ...drag, to: below < 0 ? rows.length : below };
  }

  /** Ends it and returns where the row was let go; undefined when it was not dragged. */
  end(): number | undefined {
    const to = this.current.value?.to;
    this.current.value = undefined;
    return to;
  }
}
