import { batch, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { TreeRow } from "./groups";
import { Offsets, pieces, type Heights, type Piece } from "./windowing";

/** What the style sheet means, until a row has been measured. */
const expected: Heights = { lead: 4, group: 40, session: 36 };

/** In steps of what height it is noticed that the list has scrolled, and what is drawn beyond what can be seen, in CSS pixels. */
const step = 360;

export interface Sight {
  readonly offsets: Offsets;
  /** What all rows take. The list has that height also while rows are replaced: else what was scrolled to would be beyond its end for a moment. */
  readonly height: number;
  /** What is to be drawn; `kept` are rows that are drawn wherever they are. */
  drawn(kept: readonly number[]): readonly Piece[];
  /** Scrolls as little as it takes to have a row whole on screen. */
  reveal(index: number): void;
  /** The list has scrolled, or has another height. */
  look(): void;
  /** How far below the top of what scrolls a height of the window is. */
  inside(clientY: number): number;
}

/** What of the rows can be seen in the scrolling element. It is in charge of what is drawn, so it goes before whatever asks for a row's element. */
export function useSight(list: RefObject<HTMLElement | null>, rows: readonly TreeRow[]): Sight {
  const heights = useSignal(expected);
  const from = useSignal(0);
  const to = useSignal(Math.ceil(innerHeight / step) * step);
  const offsets = new Offsets(rows, heights.value);
  const latest = useRef(offsets);
  latest.current = offsets;

  const look = () => {
    const box = list.current;
    if (!box) return;
    batch(() => {
      from.value = Math.floor(box.scrollTop / step) * step;
      to.value = Math.ceil((box.scrollTop + box.clientHeight) / step) * step;
    });
  };
  const measure = () => {
    const box = list.current;
    if (!box) return;
    const tall = (selector: string) => {
      const row = box.querySelector(selector);
      return row ? row.getBoundingClientRect().height + Number.parseFloat(getComputedStyle(row).marginTop) : undefined;
    };
    const first = box.firstElementChild;
    const lead = first ? first.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientTop + box.scrollTop : expected.lead;
    const next = { lead, group: tall(".tree-head") ?? heights.value.group, session: tall(".tree-row:not(.tree-head)") ?? heights.value.session };
    if (next.lead !== heights.value.lead || next.group !== heights.value.group || next.session !== heights.value.session) heights.value = next;
  };
  const there = rows.length > 0;
  useLayoutEffect(() => {
    const box = list.current;
    if (!box) return;
    const changed = () => {
      measure();
      look();
    };
    const observer = new ResizeObserver(changed);
    observer.observe(box);
    changed();
    return () => observer.disconnect();
  }, [there]);

  return {
    offsets,
    height: offsets.end - heights.value.lead,
    drawn: (kept) => pieces(rows.length, offsets, from.value - step, to.value + step, kept),
    reveal: (index) => {
      const box = list.current;
      if (!box || index < 0) return;
      const margin = heights.value.lead;
      const top = latest.current.top(index) - margin;
      const bottom = latest.current.bottom(index) + margin;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
      look();
    },
    look,
    inside: (clientY) => {
      const box = list.current;
      return box ? clientY - box.getBoundingClientRect().top - box.clientTop + box.scrollTop : 0;
    },
  };
}
