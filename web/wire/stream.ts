// One event stream of the host, read until it ends.

import { BlockParser } from "./sse";
import type { StreamName } from "./types";

export interface StreamHandlers {
  /** The host accepted the stream; frames may follow. */
  opened(): void;
  /** The stream's cursor moved to `id` ("<epoch>-<n>"); called after the frame that carried it was handled. */
  cursor(id: string): void;
  frame(method: string, payload: unknown): void;
}

/**
 * Opens the stream, resuming after `lastEventId` when there is one, and hands
 * its frames on in order. Settles when the stream ends, for whatever reason;
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
    for (const block of parser.push(value)) {
      if (block.data !== undefined) dispatch(block.data, handlers);
      if (block.id !== undefined) handlers.cursor(block.id);
    }
  }
}

function dispatch(data: string, handlers: StreamHandlers): void {
  let frame: { method?: unknown; payload?: unknown };
  try {
    frame = JSON.parse(data);
  } catch {
    console.error("[keylane] dropped a frame that is not JSON");
    return;
  }
  if (typeof frame.method !== "string" || typeof frame.payload !== "object" || frame.payload === null) {
    console.error("[keylane] dropped a frame without method or payload");
    return;
  }
  if (frame.method === "stream/error") throw new Error("the host reported a stream error");
  handlers.frame(frame.method, frame.payload);
}
