// The prompts of the open session that are not rows yet: echoes of what this
// page sent, and what the host says waits.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { QueueItem } from "../wire/types";
import { heard, place, promptOf, type Echo, type Expectation, type PendingPrompt, type Places } from "./pending";

export class Prompts {
  /** Prompts that are, or are about to be, part of the running turn. */
  readonly pending: ReadonlySignal<readonly PendingPrompt[]>;
  /** Prompts that wait for a turn of their own, in order. */
  readonly queued: ReadonlySignal<readonly PendingPrompt[]>;

  readonly #echoes = signal<readonly Echo[]>([]);
  readonly #queue = signal<readonly PendingPrompt[]>([]);
  /** A frame has told what waits, more recently than any history. */
  #told = false;

  /** `arrived` are the ids of the prompts that have become rows; before the window is `ready`, nothing has, and nothing can be missed. */
  constructor(
    readonly arrived: ReadonlySignal<ReadonlySet<string>>,
    readonly ready: () => boolean,
  ) {
    const places: ReadonlySignal<Places> = computed(() => place(this.#queue.value, this.#echoes.value, arrived.value));
    this.pending = computed(() => places.value.pending);
    this.queued = computed(() => places.value.queued);
  }

  /** The host says what waits. */
  tell(items: readonly QueueItem[]): void {
    this.#told = true;
    this.#take(items);
  }

  /** A page of history says what waited when it was made. */
  remember(items: readonly QueueItem[]): void {
    if (!this.#told) this.#take(items);
  }

  /** What the host said may be old: until it says it again, the history's word counts. */
  forget(): void {
    this.#told = false;
  }

  /** The host has this prompt, as far as it has said. */
  has(rpcId: string): boolean {
    return this.arrived.value.has(rpcId) || this.#queue.value.some((item) => item.rpcId === rpcId);
  }

  /** Shows a prompt before the host knows it. */
  echo(rpcId: string, text: string, expectation: Expectation): void {
    this.#echoes.value = this.#echoes.value.concat({ itemId: undefined, rpcId, text, state: "sending", expectation, seen: false });
  }

  accepted(rpcId: string): void {
    this.#echoes.value = this.#echoes.value.map((item) => (item.rpcId === rpcId ? { ...item, state: "accepted" as const } : item));
  }

  drop(rpcId: string): void {
    this.#echoes.value = this.#echoes.value.filter((item) => item.rpcId !== rpcId);
  }

  /** Rows have come: what has become one is no echo any more. */
  retire(): void {
    const arrived = this.arrived.peek();
    if (this.#echoes.value.some((item) => arrived.has(item.rpcId))) {
      this.#echoes.value = this.#echoes.value.filter((item) => !arrived.has(item.rpcId));
    }
  }

  #take(items: readonly QueueItem[]): void {
    batch(() => {
      this.#queue.value = items.map(promptOf);
      if (this.ready()) this.#echoes.value = heard(this.#echoes.value, this.#queue.value, this.arrived.peek());
    });
  }
}
