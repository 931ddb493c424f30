// Keeps the two event streams open: one generation after another, with
// back-off between them. A page that nobody sees gives them back: browsers allow
// six connections to a host for all tabs together, and streams would hold them all.

import { signal, type ReadonlySignal } from "@preact/signals";
import { readStream } from "./stream";
import type { StreamName } from "./types";

export type ConnectionState = "connecting" | "connected" | "reconnecting";

export interface ConnectionHandlers {
  /** Proves that the host answers calls; a generation counts as connected once this and both streams are. */
  probe(): Promise<unknown>;
  /** A generation is connected. `first` only for the first one of this page. */
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

/** Longest wait before retry n, in milliseconds; the actual wait is between half of it and all of it. */
export function backoffCap(retry: number): number {
  return Math.min(10_000, 500 * 2 ** (retry - 1));
}

/** How long a page must be hidden before its streams are given back, in milliseconds: switching to and fro costs nothing. */
const hiddenGrace = 3_000;

export function connect(handlers: ConnectionHandlers, random: () => number = Math.random): Connection {
  const state = signal<ConnectionState>("connecting");
  const cursor = { mux: signal(""), host: signal("") };
  const closed = new AbortController();
  let everConnected = false;
  let retry = 0;

  /** Resolves when the generation is over: true when it was given back, false when it was lost. */
  async function generation(): Promise<boolean> {
    const ended = new AbortController();
    let released = false;
    const watch = whileHidden(hiddenGrace, () => {
      released = true;
      ended.abort();
    });
    const abort = AbortSignal.any([ended.signal, closed.signal]);
    const open = (name: StreamName) => {
      let opened: () => void = () => {};
      const ready = new Promise<void>((resolve) => (opened = resolve));
      const finished = readStream(name, cursor[name].value, abort, {
        opened: () => opened(),
        cursor: (id) => (cursor[name].value = id),
        frame: (method, payload) => handlers.frame(name, method, payload),
      });
      return { ready, finished };
    };
    const mux = open("mux");
    const host = open("host");
    const lost = Promise.race([mux.finished, host.finished]).catch(() => undefined);
    const ready = Promise.all([mux.ready, host.ready, handlers.probe()]).then(() => true as const);
    ready.catch(() => undefined); // when a stream is lost first, nobody waits for the probe any more
    try {
      const connected = await Promise.race([ready, lost.then(() => false as const)]);
      if (connected && !closed.signal.aborted) {
        retry = 0;
        state.value = "connected";
        handlers.connected(!everConnected);
        everConnected = true;
        await lost;
      }
    } catch {
      // The probe failed: the same loss as a stream that ended.
    } finally {
      watch.stop();
      ended.abort();
      await Promise.allSettled([mux.finished, host.finished]);
    }
    return released;
  }

  async function run(): Promise<void> {
    for (;;) {
      const released = await generation();
      if (closed.signal.aborted) return;
      if (released) {
        state.value = "connecting";
        await untilShown(closed.signal);
        if (closed.signal.aborted) return;
        continue;
      }
      state.value = "reconnecting";
      retry++;
      console.warn(`[keylane] connection lost, retry #${retry}`);
      const cap = backoffCap(retry);
      await pause(cap / 2 + (random() * cap) / 2, closed.signal);
      if (closed.signal.aborted) return;
    }
  }

  void run();
  return { state, cursor, close: () => closed.abort() };
}

/** Waits, or returns early when the page is told to stop or comes back online. */
function pause(ms: number, abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      abort.removeEventListener("abort", done);
      window.removeEventListener("online", done);
      resolve();
    }
    abort.addEventListener("abort", done);
    window.addEventListener("online", done);
  });
}

/** Calls `then` once the page has been hidden for so long, unless stopped before. */
function whileHidden(ms: number, then: () => void): { stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    timer = document.visibilityState === "hidden" ? setTimeout(then, ms) : undefined;
  };
  document.addEventListener("visibilitychange", look);
  look();
  return {
    stop() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    },
  };
}

/** Waits until somebody sees the page, or returns early when the page is told to stop. */
function untilShown(abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState === "hidden" && !abort.aborted) return;
      document.removeEventListener("visibilitychange", look);
      abort.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    abort.addEventListener("abort", look);
    look();
  });
}
