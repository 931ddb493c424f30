// What a page knows of its connection: the streams are open, wherever they are
// (source.ts), and the host answers this page's calls.

import { signal, type ReadonlySignal } from "@preact/signals";
import { pauseBefore } from "./backoff";
import { openLocal } from "./local";
import { canShare, openShared } from "./shared";
import type { PairState, Sink, Source } from "./source";
import type { Received } from "./stream";
import type { StreamName } from "./types";

export type ConnectionState = "connecting" | "connected" | "reconnecting";

export interface ConnectionHandlers {
  /** Proves that the host answers calls; the page counts as connected once this and both streams are. */
  probe(): Promise<unknown>;
  /** The page is connected, again or, with `first`, for the first time. */
  connected(first: boolean): void;
  /** A frame arrived; `resync` frames come here too. */
  frame(stream: StreamName, method: string, payload: unknown): void;
}

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>;
  /** Last frame id handled per stream, "" before the first. */
  readonly cursor: { readonly mux: ReadonlySignal<string>; readonly host: ReadonlySignal<string> };
  /** Ends the streams for good. */
  close(): void;
}

/** Opens the streams: the pair that all tabs share where the browser can, else a pair of the page's own. */
function openSource(sink: Sink): Source {
  return canShare() ? openShared(sink, openLocal) : openLocal(sink);
}

export function connect(handlers: ConnectionHandlers, open: (sink: Sink) => Source = openSource): Connection {
  const state = signal<ConnectionState>("connecting");
  const cursor = { mux: signal(""), host: signal("") };
  let everConnected = false;
  let streams: PairState = "opening";
  /** Ends the probing of one time that the streams were open. */
  let over = new AbortController();
  // The first probe goes out beside the opening of the streams.
  let early: Promise<unknown> | undefined = handlers.probe();
  early.catch(() => undefined); // whoever waits for it hears of the failure

  async function prove(abort: AbortSignal): Promise<void> {
    for (let retry = 1; ; retry++) {
      try {
        const probe = early ?? handlers.probe();
        early = undefined;
        await probe;
        if (abort.aborted) return;
        state.value = "connected";
        handlers.connected(!everConnected);
        everConnected = true;
        return;
      } catch {
        if (abort.aborted) return;
        state.value = "reconnecting";
        console.warn(`[keylane] connection lost, the host answers no calls, retry #${retry}`);
        await pauseBefore(retry, abort);
        if (abort.aborted) return;
      }
    }
  }

  function receive(stream: StreamName, { id, frame }: Received): void {
    try {
      if (frame) handlers.frame(stream, frame.method, frame.payload);
    } catch (error) {
      reportError(error); // one frame that the page cannot stand must not keep the ones after it away
    }
    if (id !== undefined) cursor[stream].value = id;
  }

  const source = open({
    state(now) {
      if (now === streams) return;
      streams = now;
      over.abort();
      over = new AbortController();
      if (now === "open") void prove(over.signal);
      else state.value = now === "lost" ? "reconnecting" : "connecting";
    },
    received(stream, items) {
      for (const item of items) receive(stream, item);
    },
  });
  return {
    state,
    cursor,
    close() {
      over.abort();
      source.close();
    },
  };
}
