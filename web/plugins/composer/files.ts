// The files that a person may mean, as the host answers.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { Client } from "keylane";

export interface FoundFiles {
  readonly paths: readonly string[];
  readonly truncated: boolean;
}

/** Asks for files, one question at a time: a newer one gives up the older, whose answer is never shown. */
export class FileSearch {
  readonly #found = signal<FoundFiles | undefined>(undefined);
  readonly found: ReadonlySignal<FoundFiles | undefined> = this.#found;
  #running: AbortController | undefined;

  /** What was found before stays until the answer is there; a failure leaves nothing to offer. */
  async ask(client: Client, sessionId: string, query: string): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    let found: FoundFiles | undefined;
    try {
      const { items, truncated } = await client.rpc.call("workspace.files", { sessionId, ...(sessionId === "" ? client.place() : {}), query }, undefined, running.signal);
      found = { paths: items.map((item) => item.path), truncated };
    } catch {
      found = undefined;
    }
    if (this.#running === running) this.#found.value = found;
  }

  /** Forgets everything, an answer that is on its way included. */
  end(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#found.value = undefined;
  }
}
