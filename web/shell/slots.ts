// Slots: the places of the page that plugins fill.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";

/**
 * - `sidebar`: the column of sessions
 * - `main`: the scrolling centre
 * - `dock`: between the centre and the foot, top to bottom: notices, composer
 * - `foot`: one quiet line below all of the centre
 */
export type SlotName = "sidebar" | "main" | "dock" | "foot";

export interface SlotEntry {
  readonly plugin: string;
  readonly component: ComponentType;
  /** Smaller comes first. */
  readonly order: number;
}

/** What a plugin gets when it is activated. */
export interface PluginScope {
  readonly id: string;
  /** Shows a component in a slot; it lives in the plugin's own error boundary. */
  fill(slot: SlotName, component: ComponentType, order?: number): void;
}

export class SlotRegistry {
  readonly #entries = signal<ReadonlyMap<SlotName, readonly SlotEntry[]>>(new Map());
  readonly entries: ReadonlySignal<ReadonlyMap<SlotName, readonly SlotEntry[]>> = this.#entries;

  /** Returns the disposer of this registration. */
  add(slot: SlotName, entry: SlotEntry): () => void {
    this.#set(slot, [...this.#of(slot), entry].sort((a, b) => a.order - b.order || a.plugin.localeCompare(b.plugin)));
    return () => this.#set(slot, this.#of(slot).filter((item) => item !== entry));
  }

  #of(slot: SlotName): readonly SlotEntry[] {
    return this.#entries.value.get(slot) ?? [];
  }

  #set(slot: SlotName, entries: readonly SlotEntry[]): void {
    this.#entries.value = new Map(this.#entries.value).set(slot, entries);
  }
}
