// The streams by way of the shared worker (worker.ts), as one tab sees them.

import { backoffCap, pauseBefore } from "./backoff";
import { written } from "./baseline";
import type { Part } from "./fanout";
import { newId } from "./id";
import type { Sink, Source } from "./source";
import { understand } from "./stream";
import type { FromTab, ToTab } from "./worker";

/** Address of the worker's bundle with its revision, put in by tools/webbundle. */
declare const EVENTS_WORKER: string;

/** How long a worker must have lived for its end to be no reason to wait longer, in milliseconds. */
const settledAfter = backoffCap(99);

/** How long a worker may take to say that it is there, in milliseconds. One that dies before it does, nobody hears of. */
const startWithin = 15_000;

/** Whether this browser has what sharing needs: shared workers and, for tabs and workers to notice each other's end, locks (which need a secure or a loopback address). */
export function canShare(): boolean {
  return typeof SharedWorker !== "undefined" && typeof navigator.locks !== "undefined";
}

/** Joins the worker, starting it when it is not there. When it cannot be started, `instead` is the source. */
export function openShared(sink: Sink, instead: (sink: Sink) => Source): Source {
  const closed = new AbortController();
  let own: Source | undefined;

  /** Resolves when the worker is gone, or to false when it never came. */
  async function stay(lock: string): Promise<boolean> {
    let worker: SharedWorker;
    try {
      worker = new SharedWorker(EVENTS_WORKER, { name: EVENTS_WORKER, type: "module" });
    } catch {
      return false;
    }
    const { port } = worker;
    const say = (words: FromTab) => port.postMessage(words);
    const life = await new Promise<string | undefined>((welcomed) => {
      worker.onerror = () => welcomed(undefined);
      setTimeout(() => welcomed(undefined), startWithin);
      closed.signal.addEventListener("abort", () => welcomed(undefined));
      port.onmessage = ({ data }: MessageEvent<ToTab>) => {
        if ("welcome" in data) {
          welcomed(data.welcome);
          return;
        }
        try {
          for (const part of data.parts) if (!closed.signal.aborted) hand(sink, part);
        } finally {
          say({ taken: data.size });
        }
      };
      say({ hello: lock });
    });
    if (life !== undefined) await navigator.locks.request(life, { signal: closed.signal }, () => {}).catch(() => undefined); // closed: nobody asks any more
    port.close();
    return life !== undefined;
  }

  async function run(lock: string): Promise<void> {
    for (let retry = 1; !closed.signal.aborted; retry++) {
      const since = performance.now();
      const came = await stay(lock);
      if (closed.signal.aborted) return;
      if (!came) {
        own = instead(sink);
        return;
      }
      if (performance.now() - since > settledAfter) retry = 1;
      // The worker was ended from outside. What it would have told is lost, and the next one knows nothing of this page.
      sink.state("lost");
      console.warn(`[keylane] connection lost, the shared worker is gone, retry #${retry}`);
      const again = written("resync", { reason: "epoch" });
      sink.received("mux", [again]);
      sink.received("host", [again]);
      await pauseBefore(retry, closed.signal);
    }
  }

  const lock = `keylane-tab-${newId()}`;
  void navigator.locks.request(lock, () => run(lock).then(() => ended(closed.signal)));
  return {
    close() {
      closed.abort();
      own?.close();
    },
  };
}

function hand(sink: Sink, part: Part): void {
  if ("state" in part) sink.state(part.state);
  else sink.received(part.stream, part.blocks.map(({ id, text }) => understand({ id, data: text })));
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
