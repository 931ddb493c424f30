// The whole log of the open session, as far as it has been asked for: older
// pages of its own in front of what the page holds and receives anyway.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { headSeq, type LogWindow, type OpenSession } from "keylane";
import type { TrajectoryRecord } from "./record";
import { Records } from "./records";

/** Turns of one page. */
const pageTurns = 50;
/** Turns of a page on the way back to a certain event, or to the beginning. */
const reachTurns = 200;

/** Pages before the session's window. Each holds whole turns, so that no record spans two. */
interface Older {
  readonly records: readonly TrajectoryRecord[];
  /** Seq of the first event, and the one after the last. */
  readonly first: number;
  readonly end: number;
  readonly hasMore: boolean;
}

export class TrajectoryLog {
  /** In the order of the log, gapless up to its end. */
  readonly records: ReadonlySignal<readonly TrajectoryRecord[]>;
  readonly loading = signal(false);
  readonly failed = signal(false);
  readonly hasMore: ReadonlySignal<boolean>;

  readonly #older = signal<Older | undefined>(undefined);
  #tail = new Records();
  #applied: LogWindow | undefined;

  constructor(readonly session: OpenSession) {
    const tail = computed(() => this.#follow(session.window.value));
    this.records = computed(() => {
      const newer = tail.value;
      const first = headSeq(session.window.value);
      const older = this.#adjoining()?.records ?? [];
      // The conversation may have fetched what is here already.
      const kept = older.length > 0 && older.at(-1)!.seq >= first ? older.filter((record) => record.seq < first) : older;
      return kept.length === 0 ? newer : kept.concat(newer);
    });
    this.hasMore = computed(() => (this.#adjoining() ?? session.window.value).hasMore);
  }

  /** Puts one older page in front. Never rejects: what went wrong is told by `failed`. */
  async loadOlder(maxTurns = pageTurns): Promise<void> {
    if (this.loading.value || !this.hasMore.value) return;
    batch(() => {
      this.loading.value = true;
      this.failed.value = false;
    });
    try {
      const beforeSeq = this.#first();
      const before = this.#adjoining();
      const page = await this.session.rpc.call("session.history", { sessionId: this.session.id, beforeSeq, maxTurns });
      if (this.#first() !== beforeSeq) return; // the conversation was quicker
      const records = new Records();
      records.apply(page.events);
      this.#older.value = {
        records: records.list().concat(before?.records ?? []), first: page.events[0]?.event.seq ?? 0, end: before?.end ?? beforeSeq, hasMore: page.hasMore,
      };
    } catch {
      this.failed.value = true;
    } finally {
      this.loading.value = false;
    }
  }

  /** Makes sure that an event is held, 0 being the beginning; false when it cannot be fetched. */
  async reach(seq: number): Promise<boolean> {
    while (this.#first() > seq && this.hasMore.value) {
      const before = this.#first();
      await this.loadOlder(reachTurns);
      if (this.#first() === before) return false;
    }
    return this.#first() <= seq;
  }

  #first(): number {
    return this.#adjoining()?.first ?? headSeq(this.session.window.value);
  }

  /** The older pages, if they reach further back than the session's window and leave no gap before it. */
  #adjoining(): Older | undefined {
    const older = this.#older.value;
    const first = headSeq(this.session.window.value);
    return older !== undefined && older.first < first && first <= older.end ? older : undefined;
  }

  /** Applies what is new of the window; one that does not continue the last one is applied whole. */
  #follow(window: LogWindow): readonly TrajectoryRecord[] {
    const before = this.#applied;
    const continues = before !== undefined && before.events.length > 0 && before.events[0] === window.events[0] && before.events.length <= window.events.length;
    if (!continues) this.#tail = new Records();
    this.#tail.apply(continues ? window.events.slice(before.events.length) : window.events);
    this.#applied = window;
    return this.#tail.list();
  }
}

const logs = new WeakMap<OpenSession, TrajectoryLog>();

/** The log of an open session: the same for as long as the session is open, so that coming back finds what was fetched. */
export function logOf(session: OpenSession): TrajectoryLog {
  const log = logs.get(session) ?? new TrajectoryLog(session);
  logs.set(session, log);
  return log;
}
