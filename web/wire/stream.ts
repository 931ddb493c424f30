// One event stream of the host, read until it ends.

import { BlockParser, type Block } from "./sse";
import type { StreamName } from "./types";

/** A frame as the host pushed it. */
export interface Frame {
  readonly method: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One block of a stream, understood. */
export interface Received {
  /** Where the stream is once this is handled ("<epoch>-<n>"); undefined when the block does not move the cursor. */
  readonly id?: string | undefined;
  /** The frame as the host wrote it, to hand it on; undefined for a block without a frame. */
  readonly text?: string | undefined;
  readonly frame?: Frame | undefined;
}

export interface StreamHandlers {
  /** The host accepted the stream; frames may follow. */
  opened(): void;
  /** What came in one piece of the network, in order. */
  received(items: readonly Received[]): void;
}

/**
 * Opens the stream, resuming after `lastEventId` when there is one, and hands
 * on what comes, in order. Settles when the stream ends, for whatever reason;
 * the host never ends one by itself, so an end is a loss.
 */
export async function readStream(name: StreamName, lastEventId: string, abort: AbortSignal, handlers: StreamHandlers): Promise<void> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (lastEventId !== "") headers["last-event-id"] = lastEventId;
  const response = await fetch(`/api/events.${name}`, { headers, cache: "no-store", signal: abort });
  if (!response.ok || !response.body) throw new Error(`the host answered ${response.status}`);
  const parser = new BlockParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  handlers.opened();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || abort.aborted) return;
    const items = parser.push(value).map(understand);
    const broken = items.findIndex((item) => item.frame?.method === "stream/error");
    const whole = broken < 0 ? items : items.slice(0, broken);
    if (whole.length > 0) handlers.received(whole);
    if (broken >= 0) throw new Error("the host reported a stream error");
  }
}

/** Reads the frame of a block. One that is no frame is reported on the console and left out. */
export function understand({ id, data }: Block): Received {
  if (data === undefined) return { id };
  let frame: { method?: unknown; payload?: unknown };
  try {
    frame = JSON.parse(data);
  } catch {
    console.error("[keylane] dropped a frame that is not JSON");
    return { id };
  }
  if (typeof frame.method !== "string" || typeof frame.payload !== "object" || frame.payload === null) {
    console.error("[keylane] dropped a frame without method or payload");
    return { id };
  }
  return { id, text: data, frame: frame as Frame };
}
