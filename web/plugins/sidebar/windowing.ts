// Which rows of a long tree are drawn: those that can be seen and some around
// them, and those that something depends on wherever they are. All others are
// empty space of their height. A thousand drawn rows cost a second of every
// opening of the page; thirty cost nothing. What is drawn says its place and the
// number of its siblings (aria-posinset, aria-setsize), so that the tree is the
// same to whoever reads it by ear.

import type { TreeRow } from "./groups";

/** Heights in CSS pixels: what is above the first row, and what a row of each kind takes. */
export interface Heights {
  readonly lead: number;
  readonly group: number;
  readonly session: number;
}

/** Where each row is, from the top of what scrolls. */
export class Offsets {
  readonly #tops: readonly number[];
  /** Where the last row ends. */
  readonly end: number;

  constructor(rows: readonly TreeRow[], heights: Heights) {
    let at = heights.lead;
    this.#tops = rows.map((row) => {
      const top = at;
      at += heights[row.kind];
      return top;
    });
    this.end = at;
  }

  top(index: number): number {
    return this.#tops[index] ?? this.end;
  }

  bottom(index: number): number {
    return this.top(index + 1);
  }

  middle(index: number): number {
    return (this.top(index) + this.bottom(index)) / 2;
  }

  /** The first row that ends below a height; the number of rows when none does. */
  below(height: number): number {
    let low = 0;
    let high = this.#tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.bottom(middle) > height) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** A row to be drawn by its index, or space in the place of some. */
export type Piece = { readonly row: number } | { readonly space: number; readonly before: number };

/** What stands in the tree, top to bottom: every row between two heights and every kept one, and the space of the others. */
export function pieces(count: number, offsets: Offsets, from: number, to: number, kept: readonly number[]): readonly Piece[] {
  const first = offsets.below(from);
  const drawn = new Set(kept.filter((index) => index >= 0 && index < count));
  for (let index = first; index < count && offsets.top(index) < to; index++) drawn.add(index);
  const all: Piece[] = [];
  let next = 0;
  const skipTo = (index: number) => {
    if (index > next) all.push({ space: offsets.top(index) - offsets.top(next), before: index });
  };
  for (const index of [...drawn].sort((a, b) => a - b)) {
    skipTo(index);
    all.push({ row: index });
    next = index + 1;
  }
  skipTo(count);
  return all;
}
