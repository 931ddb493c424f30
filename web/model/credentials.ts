// Which credentials the host's providers need, and where each comes from. A
// value is only ever on its way to the host: neither this nor any answer keeps one.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { Rpc } from "../wire/rpc";
import type { CredentialsDescription } from "../wire/types";

export class Credentials {
  readonly #description = signal<CredentialsDescription | undefined>(undefined);
  #fetches = 0;

  /** What the host has said last; undefined before the first {@link refresh}. */
  readonly description: ReadonlySignal<CredentialsDescription | undefined> = this.#description;

  constructor(readonly rpc: Rpc) {}

  /** Asks the host. Of answers that overtake each other the last call's counts. Rejects with an RpcError. */
  async refresh(): Promise<void> {
    const fetch = ++this.#fetches;
    const description = await this.rpc.call("credentials.describe", {});
    if (fetch === this.#fetches) this.#description.value = description;
  }

  /** Stores a credential. Rejects with an RpcError, `credential-rejected` when the value cannot be one. */
  async set(ref: string, value: string): Promise<void> {
    this.#answered(await this.rpc.call("credentials.set", { ref, value }));
  }

  /** Removes what is stored. */
  async unset(ref: string): Promise<void> {
    this.#answered(await this.rpc.call("credentials.unset", { ref }));
  }

  #answered(description: CredentialsDescription): void {
    this.#fetches++; // an answer that is on its way is older
    this.#description.value = description;
  }
}
