import { check, property, test } from "../../testing/testing";
import type { Random } from "../../testing/random";
import type { TrajectoryRecord } from "./record";
import { barAt, extent, inside, layOut, touched, zoom } from "./scale";
import { pieces } from "./window";

function record(seq: number, start: number, end?: number, more: Partial<TrajectoryRecord> = {}): TrajectoryRecord {
  return {
    seq, kind: "tool", turn: 1, step: 1, turnStart: false, name: "", text: "", state: "done", failure: undefined, start, first: undefined, end, waited: 0,
    usage: undefined, opens: false, event: { type: "tool/call", seq, time: start, data: {} }, outcome: undefined, ...more,
  };
}

function drawn(random: Random, count: number): readonly TrajectoryRecord[] {
  let time = 1_000_000;
  return Array.from({ length: count }, (_, index) => {
    time += random.integer(0, 4999) - 200; // a clock may go backwards
    return record(index * 3, time, random.integer(0, 3) > 0 ? time + random.integer(0, 1999) : undefined, { kind: random.integer(0, 1) > 0 ? "tool" : "assistant" });
  });
}

const width = (bar: { readonly from: number; readonly to: number } | undefined) => (bar ? bar.to - bar.from : NaN);

test("actual widths are durations, and long pauses are short", () => {
  const bars = layOut([record(0, 0, 300), record(1, 400, 900), record(2, 60_000, 60_100)], "actual", 0);
  check.equal(bars.map(width), [300, 500, 100], "widths");
  check.equal(bars[1]!.from - bars[0]!.to, 100, "a short pause");
  check.equal(bars[2]!.from - bars[1]!.to, 1000, "a long pause");
});

test("equal widths are equal, and an answer is split where its first token came", () => {
  const bars = layOut([record(0, 0, 300), record(1, 400, 800, { kind: "assistant", first: 500 })], "equal", 0);
  check.equal(bars.map(({ from, to, split }) => [from, to, split ?? null]), [[0, 1, null], [1, 2, 1.25]], "bars");
});

property("what came first is drawn first, and nothing is negative", 100, (random) => {
  for (const mode of ["equal", "actual"] as const) {
    const bars = layOut(drawn(random, 40), mode, 0);
    bars.forEach((bar, index) => {
      check(bar.to >= bar.from, `${mode}: bar ${index} is ${width(bar)} wide`);
      check(index === 0 || bar.from >= bars[index - 1]!.from, `${mode}: bar ${index} is drawn before the one before it`);
    });
  }
});

property("records that come in front move nothing", 100, (random) => {
  const records = drawn(random, 40);
  const from = 1 + random.integer(0, 29);
  const origin = records[from]!.seq;
  const before = layOut(records.slice(from), "equal", origin);
  check.equal(layOut(records, "equal", origin).slice(from).map((bar) => bar.from), before.map((bar) => bar.from), "positions");
});

property("a drag over some bars points out exactly those", 100, (random) => {
  const bars = layOut(drawn(random, 30), "equal", 0);
  const first = random.integer(0, 29);
  const last = first + random.integer(0, 29 - first);
  check.equal(touched(bars, { from: bars[first]!.from + 0.3, to: bars[last]!.to - 0.3 }), { first: bars[first]!.record.seq, last: bars[last]!.record.seq }, "focus");
  check.equal(barAt(bars, bars[first]!.from + 0.5, undefined)?.record.seq, bars[first]!.record.seq, "the bar there");
});

property("zooming stays inside, keeps what is under the pointer, and ends at the whole", 100, (random) => {
  const whole = extent(layOut(drawn(random, 30), "equal", 0));
  const about = whole.from + random.integer(0, 29);
  const close = zoom(whole, about, 0.2, whole);
  check(close !== undefined && close.from >= whole.from && close.to <= whole.to && close.from <= about && about <= close.to, `zoomed to ${JSON.stringify(close)}`);
  check.equal(zoom(close ?? whole, about, 5.01, whole) ?? null, null, "out again");
  check.equal(inside({ from: whole.to, to: whole.to + 3 }, whole), { from: whole.to - 3, to: whole.to }, "moved too far");
});

property("the table holds what is on screen, the pinned row, and room for all others", 200, (random) => {
  const count = random.integer(0, 1999);
  const top = random.integer(0, Math.max(1, count * 36) - 1);
  const pinned = random.integer(0, count) - 1;
  const shown = pieces(count, top, 700, 36, pinned);
  let rows = 0;
  let end = 0;
  for (const piece of shown) {
    check.equal(piece.from, end + piece.skipped, "a piece begins after its gap");
    rows += piece.to - piece.from;
    end = piece.to;
  }
  check(rows <= 60, `${rows} rows are in the document`);
  const held = (row: number) => shown.some((piece) => row >= piece.from && row < piece.to);
  if (pinned >= 0) check(held(pinned), `the pinned row ${pinned} is missing`);
  for (let row = Math.floor(top / 36); row < Math.min(count, (top + 700) / 36); row++) check(held(row), `row ${row} is on screen and missing`);
});
