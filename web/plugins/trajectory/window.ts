// Which rows of a long table are in the document: those on screen, a few
// around them, and one that must stay because it holds the focus.

/** Rows [from, to) of the table, with what is left out before them. */
export interface Piece {
  readonly skipped: number;
  readonly from: number;
  readonly to: number;
}

/** Rows kept beyond both edges of the screen. */
const margin = 12;

/** The pieces of `count` rows that a view of `height` at `top` needs, each row `row` high; `pinned` is one more, or -1. */
export function pieces(count: number, top: number, height: number, row: number, pinned: number): readonly Piece[] {
  const from = Math.min(Math.max(0, Math.floor(top / row) - margin), count);
  const to = Math.min(count, Math.max(from, Math.ceil((top + height) / row) + margin));
  const wanted = [{ from, to }];
  if (pinned >= 0 && pinned < count && (pinned < from || pinned >= to)) wanted.push({ from: pinned, to: pinned + 1 });
  wanted.sort((a, b) => a.from - b.from);
  let end = 0;
  return wanted.filter((piece) => piece.to > piece.from).map((piece) => {
    const skipped = piece.from - end;
    end = piece.to;
    return { skipped, ...piece };
  });
}
