// The pair of event streams: one generation after another, with back-off between
// them, each going on where the one before it was cut. It runs in a page or in the
// worker that all pages share, and knows nothing of either.

import { pauseBefore } from "./backoff";
import type { Sink } from "./source";
import { readStream } from "./stream";
import type { StreamName } from "./types";

export class Pair {
  /** Id of the last frame handled, per stream; "" before the first. Kept while the pair is stopped. */
  readonly #cursor: Record<StreamName, string> = { mux: "", host: "" };
  #running: AbortController | undefined;

  constructor(
    readonly sink: Sink,
    readonly random: () => number = Math.random,
  ) {}

  /** Opens the streams and keeps them open until stop. Does nothing when it is started already. */
  start(): void {
    if (this.#running) return;
    this.#running = new AbortController();
    void this.#run(this.#running.signal);
  }

  /** Gives both connections back; the sink hears nothing more. The next start goes on where this left off. */
  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #run(stopped: AbortSignal): Promise<void> {
    for (let retry = 1; ; retry++) {
      if (await this.#generation(stopped)) retry = 1;
      if (stopped.aborted) return;
      this.sink.state("lost");
      console.warn(`[keylane] connection lost, retry #${retry}`);
      await pauseBefore(retry, stopped, this.random);
      if (stopped.aborted) return;
    }
  }

  /** Resolves when a stream has ended: true when both had been open. */
  async #generation(stopped: AbortSignal): Promise<boolean> {
    const ended = new AbortController();
    const abort = AbortSignal.any([ended.signal, stopped]);
    const open = (name: StreamName) => {
      let opened: () => void = () => {};
      const ready = new Promise<void>((resolve) => (opened = resolve));
      const finished = readStream(name, this.#cursor[name], abort, {
        opened: () => opened(),
        received: (items) => {
          if (abort.aborted) return;
          try {
            this.sink.received(name, items);
          } catch (error) {
            reportError(error); // what the sink cannot stand, it could not stand the next time either
          }
          for (const { id } of items) if (id !== undefined) this.#cursor[name] = id;
        },
      });
      return { ready, finished };
    };
    const streams = [open("mux"), open("host")];
    const lost = Promise.race(streams.map((stream) => stream.finished)).catch(() => undefined);
    const ready = Promise.all(streams.map((stream) => stream.ready)).then(() => true);
    const opened = await Promise.race([ready, lost.then(() => false)]);
    if (opened && !abort.aborted) {
      this.sink.state("open");
      await lost;
    }
    ended.abort();
    await Promise.allSettled(streams.map((stream) => stream.finished));
    return opened;
  }
}
