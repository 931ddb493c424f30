// A record of the trajectory: something that was sent to a model, that it
// answered, or that ran. It is known by the seq of the event that began it,
// never by its place.

import type { SessionEvent, Usage } from "keylane";

export type RecordKind = "system" | "user" | "context" | "assistant" | "tool" | "retry" | "compaction" | "ending" | "unknown";

export interface Failure {
  readonly code: string;
  readonly message: string;
}

export interface TrajectoryRecord {
  /** Seq of the event that began it: its identity. */
  readonly seq: number;
  readonly kind: RecordKind;
  /** 0 outside of turns. */
  readonly turn: number;
  /** 0 outside of steps. */
  readonly step: number;
  /** The first record of its turn. */
  readonly turnStart: boolean;
  /** A tool, a model, a source or a type of event, as the log calls it. */
  readonly name: string;
  /** What it says, whole. */
  readonly text: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly failure: Failure | undefined;
  /** Times in Unix milliseconds. The first token of an answer, and the end of what has one. */
  readonly start: number;
  readonly first: number | undefined;
  readonly end: number | undefined;
  /** How long a call waited for the person, in milliseconds. */
  readonly waited: number;
  readonly usage: Usage | undefined;
  /** The first request of its step: later ones repeat it. */
  readonly opens: boolean;
  /** The event that began it, and the one that it came to. */
  readonly event: SessionEvent;
  readonly outcome: SessionEvent | undefined;
}

/** The record that an event belongs to: its own, or the last one that began before it. */
export function recordOf(records: readonly TrajectoryRecord[], seq: number): TrajectoryRecord | undefined {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (records[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  return records[low - 1];
}

/** The request header in force at a record, if it is among the records. */
export function headerOf(records: readonly TrajectoryRecord[], record: TrajectoryRecord): TrajectoryRecord | undefined {
  return records.findLast((each) => each.kind === "system" && each.seq <= record.seq);
}

/** Numbers the requests by their answers' seqs; `total` is how many the whole log has made, so that numbers stay when older pages come. */
export function requestNumbers(records: readonly TrajectoryRecord[], total: number): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  const answers = records.filter((record) => record.kind === "assistant");
  let next = Math.max(0, total - answers.filter((record) => record.opens).length);
  for (const record of answers) numbers.set(record.seq, record.opens ? ++next : next);
  return numbers;
}
