// Where records lie on the timeline. Pure: positions are numbers on a line,
// which the drawing stretches to what there is of room.

import type { TrajectoryRecord } from "./record";

export type Mode = "equal" | "actual";

export interface Bar {
  readonly record: TrajectoryRecord;
  /** 0 what goes in, 1 the model, 2 tools. */
  readonly lane: 0 | 1 | 2;
  readonly from: number;
  readonly to: number;
  /** Where an answer's first token came. */
  readonly split: number | undefined;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A pause in which nothing ran is drawn no longer than this, in milliseconds. */
const longestPause = 1000;

const lanes: Readonly<Record<TrajectoryRecord["kind"], 0 | 1 | 2>> = {
  system: 0, user: 0, context: 0, unknown: 0, ending: 0, assistant: 1, retry: 1, compaction: 1, tool: 2,
};

/**
 * Lays records out. Equal: each is one unit wide, in the order of the log.
 * Actual: each is as wide as it took, in milliseconds; pauses are shortened.
 * The record `origin` begins at 0, so that everything keeps its position while
 * older records come in front.
 */
export function layOut(records: readonly TrajectoryRecord[], mode: Mode, origin: number): readonly Bar[] {
  const bars: Bar[] = [];
  let shift = 0;
  let edge: number | undefined;
  let before = -Infinity;
  records.forEach((record, index) => {
    const lane = lanes[record.kind];
    if (mode === "equal") {
      const share = shareOfFirst(record);
      bars.push({ record, lane, from: index, to: index + 1, split: share === undefined ? undefined : index + share });
      return;
    }
    // A clock may go backwards; what comes later in the log is never drawn before.
    const start = Math.max(record.start, before);
    const end = Math.max(record.end ?? start, start);
    before = start;
    if (edge === undefined) shift = start;
    else if (start > edge + longestPause) shift += start - edge - longestPause;
    edge = Math.max(edge ?? end, end);
    const share = shareOfFirst(record);
    bars.push({ record, lane, from: start - shift, to: end - shift, split: share === undefined ? undefined : start - shift + share * (end - start) });
  });
  const zero = bars.find((bar) => bar.record.seq === origin)?.from ?? 0;
  return zero === 0 ? bars : bars.map((bar) => ({ ...bar, from: bar.from - zero, to: bar.to - zero, split: bar.split === undefined ? undefined : bar.split - zero }));
}

/** How much of an answer's time passed before its first token. */
function shareOfFirst(record: TrajectoryRecord): number | undefined {
  if (record.kind !== "assistant" || record.first === undefined || record.end === undefined || record.end <= record.start) return undefined;
  return Math.min(1, Math.max(0, (record.first - record.start) / (record.end - record.start)));
}

/** The whole line. */
export function extent(bars: readonly Bar[]): Range {
  const from = bars[0]?.from ?? 0;
  return { from, to: Math.max(from + 1, bars.reduce((edge, bar) => Math.max(edge, bar.to), from)) };
}

/** Zooms a range about a point of it, staying inside the whole; undefined when that is the whole. */
export function zoom(range: Range, about: number, factor: number, whole: Range): Range | undefined {
  const length = Math.max((range.to - range.from) * factor, (whole.to - whole.from) / 10_000);
  if (length >= whole.to - whole.from) return undefined;
  const share = (about - range.from) / (range.to - range.from);
  return inside({ from: about - share * length, to: about + (1 - share) * length }, whole);
}

/** Moves a range into the whole without changing its length. */
export function inside(range: Range, whole: Range): Range {
  const over = Math.max(0, range.to - whole.to);
  const under = Math.max(0, whole.from - (range.from - over));
  return { from: range.from - over + under, to: range.to - over + under };
}

/** The first and last record that a range touches, by their seqs. */
export function touched(bars: readonly Bar[], range: Range): { readonly first: number; readonly last: number } | undefined {
  const found = bars.filter((bar) => (bar.to > range.from && bar.from < range.to) || (bar.from === bar.to && bar.from >= range.from && bar.from <= range.to));
  return found.length === 0 ? undefined : { first: found[0]!.record.seq, last: found.at(-1)!.record.seq };
}

/** The bar at a position: of those that touch it the latest, else the nearest. */
export function barAt(bars: readonly Bar[], position: number, lane: number | undefined): Bar | undefined {
  let best: Bar | undefined;
  let distance = Infinity;
  for (const bar of bars) {
    const away = Math.max(bar.from - position, position - bar.to, 0) + (lane === undefined || bar.lane === lane ? 0 : 1e-9);
    if (away > distance) continue;
    distance = away;
    best = bar;
  }
  return best;
}
