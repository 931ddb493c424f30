// Hands the frames of one pair of streams to many tabs. Pure: who a tab is, and how
// a message gets there, is for worker.ts.
//
// Every tab has sent what it may have on its way: the tab says what it has taken, and
// beyond the limit it is behind and is sent nothing, so a tab that is slow or frozen
// costs the worker nothing and the others nothing. Once it has taken
// everything it starts anew, as with the host: a resync frame, the baseline,
// the cursor.

import { Baseline, written } from "./baseline";
import type { PairState, Sink } from "./source";
import type { Received } from "./stream";
import type { ResyncReason, StreamName } from "./types";

/** A part of a message: how the pair is, or what came on a stream. Frames travel as the host wrote them. */
export type Part = { readonly state: PairState } | { readonly stream: StreamName; readonly blocks: readonly { readonly id?: string | undefined; readonly text?: string | undefined }[] };

/** What a tab is sent. It answers with the size once it has handled all parts. */
export interface Message {
  readonly size: number;
  readonly parts: readonly Part[];
}

/** What a tab may have on its way, in characters of frames: a quarter of what the host keeps of a stream. */
export const onTheWay = 4 << 20;

/** What a message costs besides its frames, in the same unit. */
const overhead = 256;

interface Tab {
  /** Sent and not taken. */
  sent: number;
  /** Why it is behind; undefined while it is not. */
  behind: ResyncReason | undefined;
}

export class Fanout<Port> implements Sink {
  readonly #tabs = new Map<Port, Tab>();
  readonly #baseline = new Baseline();
  readonly #cursor: Record<StreamName, string> = { mux: "", host: "" };
  #state: PairState = "opening";

  constructor(
    readonly send: (port: Port, message: Message) => void,
    readonly limit = onTheWay,
  ) {}

  /** How many tabs there are. */
  get size(): number {
    return this.#tabs.size;
  }

  /** A tab is there that has seen nothing yet. */
  join(port: Port): void {
    const tab: Tab = { sent: 0, behind: undefined };
    this.#tabs.set(port, tab);
    this.#post(port, tab, [{ state: this.#state }, ...this.#opening()]);
  }

  /** A tab is gone. */
  leave(port: Port): void {
    this.#tabs.delete(port);
  }

  /** A tab has handled so much of what it was sent. */
  taken(port: Port, size: number): void {
    const tab = this.#tabs.get(port);
    if (!tab) return;
    tab.sent -= size;
    if (tab.behind === undefined || tab.sent > 0) return;
    const reason = tab.behind;
    tab.behind = undefined;
    this.#post(port, tab, [{ state: this.#state }, ...this.#opening(reason)]);
  }

  state(state: PairState): void {
    this.#state = state;
    this.#all([{ state }]);
  }

  received(stream: StreamName, items: readonly Received[]): void {
    let epoch = false;
    for (const item of items) {
      if (stream === "mux") this.#baseline.take(item);
      else if (item.frame?.method === "host/session-removed") this.#baseline.forget(item.frame.payload["sessionId"] as string);
      if (item.id !== undefined) this.#cursor[stream] = item.id;
      epoch ||= item.frame?.method === "resync" && item.frame.payload["reason"] === "epoch";
    }
    // Whoever misses this must hear of it later: it is more than having missed frames.
    if (epoch) for (const tab of this.#tabs.values()) if (tab.behind !== undefined) tab.behind = "epoch";
    this.#all([{ stream, blocks: items.map(({ id, text }) => ({ id, text })) }], epoch ? "epoch" : "overflow");
  }

  #all(parts: readonly Part[], reason: ResyncReason = "overflow"): void {
    const size = sizeOf(parts);
    for (const [port, tab] of this.#tabs) {
      if (tab.behind !== undefined) continue;
      // A message that alone is larger than the limit must get there as well.
      if (tab.sent > 0 && tab.sent + size > this.limit) tab.behind = reason;
      else this.#post(port, tab, parts, size);
    }
  }

  #post(port: Port, tab: Tab, parts: readonly Part[], size = sizeOf(parts)): void {
    tab.sent += size;
    this.send(port, { size, parts });
  }

  /** What a tab starts with: as the host does, but as of the last frame that came here. */
  #opening(reason?: ResyncReason): readonly Part[] {
    const resync = reason === undefined ? [] : [written("resync", { reason })];
    const blocks = (items: readonly Received[], cursor: string) => [...items.map(({ text }) => ({ text })), ...(cursor === "" ? [] : [{ id: cursor }])];
    return [
      { stream: "mux", blocks: blocks([...resync, ...this.#baseline.frames()], this.#cursor.mux) },
      { stream: "host", blocks: blocks(resync, this.#cursor.host) },
    ];
  }
}

function sizeOf(parts: readonly Part[]): number {
  let size = overhead;
  for (const part of parts) {
    if ("blocks" in part) for (const { text } of part.blocks) size += text?.length ?? 0;
  }
  return size;
}
