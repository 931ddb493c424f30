// How a person looks at the trajectory of the open session. Everything names
// records by seq, so that it holds while pages come in front and events behind.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { closeDetails, details, noteEvent, showDetails, turnDetails, type OpenSession } from "keylane";
import { logOf, type TrajectoryLog } from "./log";
import { requestNumbers, type TrajectoryRecord } from "./record";
import { extent, layOut, type Bar, type Mode, type Range } from "./scale";
import { searched } from "./words";

export class Viewing {
  readonly log: TrajectoryLog;
  /** Seq of the chosen record. */
  readonly selected = signal<number | undefined>(undefined);
  /** The details are open, of the chosen record while the trajectory is shown. */
  readonly inspecting: ReadonlySignal<boolean>;
  readonly collapsed = signal(false);
  readonly mode = signal<Mode>("equal");
  /** The records that the timeline points out, by the first and last one's seq. */
  readonly focus = signal<{ readonly first: number; readonly last: number } | undefined>(undefined);
  /** The part of the timeline that is drawn; undefined is the whole. */
  readonly zoomed = signal<Range | undefined>(undefined);
  readonly query = signal("");
  readonly numbers: ReadonlySignal<ReadonlyMap<number, number>>;
  /** The records that have a row. */
  readonly rows: ReadonlySignal<readonly TrajectoryRecord[]>;
  readonly bars: ReadonlySignal<readonly Bar[]>;
  readonly whole: ReadonlySignal<Range>;
  /** Seqs of the records that the query finds, in order. */
  readonly matches: ReadonlySignal<readonly number[]>;
  /** How the table scrolls to a record; it sets this while it is shown. */
  reveal: (seq: number) => void = () => {};
  /** Gives the focus to the chosen record's row; the table sets this too. */
  focusRow: () => void = () => {};

  #origin: number | undefined;
  readonly #words = new WeakMap<TrajectoryRecord, string>();

  constructor(session: OpenSession) {
    this.log = logOf(session);
    this.inspecting = computed(() => details.value?.sessionId === session.id);
    const records = this.log.records;
    this.numbers = computed(() => requestNumbers(records.value, session.stats.value.steps));
    this.rows = computed(() => (this.collapsed.value ? records.value.filter((record, index) => record.turnStart || (record.turn === 0 && (records.value[index - 1]?.turn ?? 0) !== 0)) : records.value));
    this.bars = computed(() => {
      this.#origin ??= records.value[0]?.seq;
      return layOut(records.value, this.mode.value, this.#origin ?? 0);
    });
    this.whole = computed(() => extent(this.bars.value));
    this.matches = computed(() => {
      const query = this.query.value.trim().toLowerCase();
      return query === "" ? [] : records.value.filter((record) => this.#wordsOf(record).includes(query)).map((record) => record.seq);
    });
  }

  select(seq: number): void {
    this.selected.value = seq;
    if (this.inspecting.value) {
      turnDetails(seq);
      noteEvent(seq);
    }
    this.reveal(seq);
  }

  inspect(seq: number): void {
    showDetails(seq, () => this.focusRow());
    this.select(seq);
  }

  close(): void {
    closeDetails();
  }

  /** Chooses the next or previous record that the query finds. */
  match(step: 1 | -1): void {
    const matches = this.matches.value;
    if (matches.length === 0) return;
    const at = matches.indexOf(this.selected.value ?? -1);
    const after = this.selected.value ?? -1;
    const next = at >= 0 ? at + step : step > 0 ? Math.max(0, matches.findIndex((seq) => seq > after)) : matches.findLastIndex((seq) => seq < after);
    const seq = matches[(next + matches.length) % matches.length]!;
    if (!this.rows.value.some((record) => record.seq === seq)) this.collapsed.value = false;
    this.select(seq);
  }

  setMode(mode: Mode): void {
    this.mode.value = mode;
    this.zoomed.value = undefined; // it was a part of another line
  }

  outside(record: TrajectoryRecord): boolean {
    const focus = this.focus.value;
    return focus !== undefined && (record.seq < focus.first || record.seq > focus.last);
  }

  /** Records do not change without becoming other objects, so what is searched in them is made once. */
  #wordsOf(record: TrajectoryRecord): string {
    const known = this.#words.get(record) ?? searched(record);
    this.#words.set(record, known);
    return known;
  }
}

const viewings = new WeakMap<OpenSession, Viewing>();

/** How the trajectory of a session is looked at: kept while the session is open, so that the conversation can be looked at in between. */
export function viewingOf(session: OpenSession): Viewing {
  const viewing = viewings.get(session) ?? new Viewing(session);
  viewings.set(session, viewing);
  return viewing;
}
