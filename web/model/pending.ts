// Prompts that are not rows of the transcript yet: what the host says waits, and
// what this page has sent and the host has not spoken of. Pure, no DOM.

import type { QueueItem } from "../wire/types";
import { contentText, sourceRpcId } from "./events";

/** A prompt on its way. */
export interface PendingPrompt {
  /** Names it to the host; undefined until the host has it. */
  readonly itemId: string | undefined;
  readonly rpcId: string;
  readonly text: string;
  readonly state: "sending" | "accepted" | "queued" | "steering";
}

/** What a sent prompt is expected to do: begin a turn at once, wait for one, or join the running one. */
export type Expectation = "starts" | "queues" | "steers";

export interface Echo extends PendingPrompt {
  readonly expectation: Expectation;
  /** The host has said that it waits. */
  readonly seen: boolean;
}

export function promptOf(item: QueueItem): PendingPrompt {
  return {
    itemId: item.id,
    rpcId: sourceRpcId(item.message) || item.id,
    text: contentText(item.message["content"]),
    state: item.placement === "steering" ? "steering" : "queued",
  };
}

/**
 * What becomes of echoes when the host says what waits. One that waits is shown
 * from the host's words from now on; one that begins a turn keeps its place, and
 * goes when it has waited and does no longer without having become a row.
 */
export function heard(echoes: readonly Echo[], items: readonly PendingPrompt[], arrived: ReadonlySet<string>): readonly Echo[] {
  const waits = new Set(items.map((item) => item.rpcId));
  return echoes.flatMap((echo) => {
    if (echo.expectation !== "starts") return waits.has(echo.rpcId) ? [] : [echo];
    if (waits.has(echo.rpcId)) return [{ ...echo, seen: true }];
    return echo.seen && !arrived.has(echo.rpcId) ? [] : [echo];
  });
}

export interface Places {
  /** At the end of the transcript. */
  readonly pending: readonly PendingPrompt[];
  /** In the queue. */
  readonly queued: readonly PendingPrompt[];
}

/** Where each prompt is shown; a row of the transcript is shown there alone. */
export function place(items: readonly PendingPrompt[], echoes: readonly Echo[], arrived: ReadonlySet<string>): Places {
  const open = echoes.filter((echo) => !arrived.has(echo.rpcId));
  const starting = new Set(open.filter((echo) => echo.expectation === "starts").map((echo) => echo.rpcId));
  const waiting = items.filter((item) => !arrived.has(item.rpcId) && !starting.has(item.rpcId));
  const known = new Set(waiting.map((item) => item.rpcId));
  const own = open.filter((echo) => !known.has(echo.rpcId));
  return {
    pending: [...waiting.filter((item) => item.state === "steering"), ...own.filter((echo) => echo.expectation !== "queues")],
    queued: [...waiting.filter((item) => item.state === "queued"), ...own.filter((echo) => echo.expectation === "queues")],
  };
}
