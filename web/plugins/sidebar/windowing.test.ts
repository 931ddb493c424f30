import { check, property, test } from "../../testing/testing";
import type { Random } from "../../testing/random";
import type { TreeRow } from "./groups";
import { Offsets, pieces, type Piece } from "./windowing";

const heights = { lead: 4, group: 40, session: 36 };

function someRows(random: Random): readonly TreeRow[] {
  return Array.from({ length: random.integer(0, 80) }, (_, index) => ({ kind: random.pick(["group", "session"] as const), id: `r${index}` }) as TreeRow);
}

const drawn = (all: readonly Piece[]) => all.flatMap((piece) => ("row" in piece ? [piece.row] : []));

property("whatever is drawn, the tree is as high as all rows, and each row is where it would be", 300, (random) => {
  const rows = someRows(random);
  const offsets = new Offsets(rows, heights);
  const from = random.integer(-200, 3000);
  const kept = random.picks([-1, 0, 3, 40, 79, 90], 0, 3);
  const all = pieces(rows.length, offsets, from, from + random.integer(0, 1200), kept);
  let at = heights.lead;
  for (const piece of all) {
    if ("row" in piece) {
      check.equal(at, offsets.top(piece.row), `top of row ${piece.row}`);
      at += heights[rows[piece.row]?.kind ?? "session"];
    } else {
      check(piece.space > 0, "space without a row");
      at += piece.space;
    }
  }
  check.equal(at, offsets.end, "height");
});

property("every row that can be seen is drawn, and every kept one, once and in order", 300, (random) => {
  const rows = someRows(random);
  const offsets = new Offsets(rows, heights);
  const from = random.integer(-200, 3000);
  const to = from + random.integer(1, 1200);
  const kept = random.picks([-1, 0, 3, 40, 79, 90], 0, 3);
  const got = drawn(pieces(rows.length, offsets, from, to, kept));
  const want = rows.flatMap((_, index) => ((offsets.bottom(index) > from && offsets.top(index) < to) || kept.includes(index) ? [index] : []));
  check.equal(got, want, "rows");
});

test("of a thousand rows a screen is drawn", () => {
  const rows = Array.from({ length: 1000 }, (_, index) => ({ kind: "session", id: `r${index}` }) as TreeRow);
  check.equal(drawn(pieces(1000, new Offsets(rows, heights), 18_000, 18_720, [0])), [0, ...Array.from({ length: 21 }, (_, index) => 499 + index)], "rows");
});
