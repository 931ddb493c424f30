// The rows of a transcript in their order, by key, with the events that they
// tell of.

import type { Row } from "./rows";

export class RowTable {
  /** Seq of the event that is being read: new rows tell of it. */
  now = -1;
  #rows: Row[] = [];
  #index = new Map<string, number>();
  /** The event that a row tells of, by the row's key. */
  #events = new Map<string, number>();
  /** Position of the open turn's first row; rows before it no longer change. */
  #turn = 0;

  get(key: string): Row | undefined {
    const position = this.#index.get(key);
    return position === undefined ? undefined : this.#rows[position];
  }

  /** Adds a row at the end, or puts it in the place of the one with its key. */
  put(row: Row): void {
    const position = this.#index.get(row.key);
    if (position === undefined) {
      if (!this.#events.has(row.key)) this.#events.set(row.key, this.now);
      this.#index.set(row.key, this.#rows.length);
      this.#rows.push(row);
    } else {
      this.#rows[position] = row;
    }
  }

  /** Forgets all rows but these. */
  keep(wanted: (row: Row) => boolean): void {
    const kept = this.#rows.filter(wanted);
    if (kept.length === this.#rows.length) return;
    this.#rows = kept;
    this.#index = new Map(kept.map((row, position) => [row.key, position]));
  }

  /** The row tells of this event from now on. */
  tells(key: string, seq: number): void {
    this.#events.set(key, seq);
  }

  beginTurn(): void {
    this.#turn = this.#rows.length;
  }

  /** The rows of the open turn. */
  ofTurn(): readonly Row[] {
    return this.#rows.slice(this.#turn);
  }

  all(): readonly Row[] {
    return this.#rows.slice();
  }

  /** The event that a row tells of: for a tool call its tool/call, else the first one that made the row. */
  eventOf(key: string): number | undefined {
    return this.#events.get(key);
  }

  /** The row that an event is told by: its own, or the first one after it. */
  rowOf(seq: number): string | undefined {
    let found: string | undefined;
    let nearest = Infinity;
    for (const { key } of this.#rows) {
      const own = this.#events.get(key) ?? -1;
      if (own < seq || own >= nearest) continue;
      nearest = own;
      found = key;
    }
    return found;
  }
}
