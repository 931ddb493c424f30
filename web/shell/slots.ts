// Slots: the places of the page that plugins fill.

import { batch, signal, type ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";

/**
 * - `sidebar`: the column of sessions
 * - `sidebar-foot`: one quiet line below it
 * - `main`: the scrolling centre
 * - `dock`: between the centre and the foot, top to bottom: notices, composer
 * - `foot`: one quiet line below all of the centre
 * - `details`: the column about the event that `details` of web/shell/details.ts names
 */
export type SlotName = "sidebar" | "sidebar-foot" | "main" | "dock" | "foot" | "details";

export interface SlotEntry {
  readonly plugin: string;
  readonly component: ComponentType;
  /** Smaller comes first. */
  readonly order: number;
}

/** Another way to look at the open session, beside its conversation. It has a tab and an address of its own, `/s/<session>/<id>`. */
export interface View {
  /** Small letters and dashes. */
  readonly id: string;
  /** The tab's name, in the person's language. */
  readonly label: () => string;
  readonly component: ComponentType;
}

/** A page of the settings dialog. */
export interface SettingsSection {
  /** Small letters and dashes, of its own among all sections. */
  readonly id: string;
  /** Its name in the dialog's list, in the person's language. */
  readonly label: () => string;
  /** Smaller comes first. The page's own begin at 0 and end below 100. */
  readonly order: number;
  /** What it shows; it lives in the plugin's own error boundary, as long as it is looked at. */
  readonly component: ComponentType;
}

/** What a plugin gets when it is activated. */
export interface PluginScope {
  readonly id: string;
  /** Shows a component in a slot; it lives in the plugin's own error boundary. */
  fill(slot: SlotName, component: ComponentType, order?: number): void;
  /** Adds a view of the open session; while it is shown, it stands where the slot `main` is. */
  view(view: View): void;
  /** Adds a section to the settings dialog. */
  settings(section: SettingsSection): void;
  /** Every plugin's sections, in their order: for whoever shows them. */
  readonly sections: ReadonlySignal<readonly SettingsSection[]>;
}

export class SlotRegistry {
  readonly #entries = signal<ReadonlyMap<SlotName, readonly SlotEntry[]>>(new Map());
  readonly entries: ReadonlySignal<ReadonlyMap<SlotName, readonly SlotEntry[]>> = this.#entries;
  readonly #views = signal<readonly (View & { readonly plugin: string })[]>([]);
  /** By their ids. */
  readonly views: ReadonlySignal<readonly (View & { readonly plugin: string })[]> = this.#views;

  readonly #sections = signal<readonly SettingsSection[]>([]);
  /** In their order. */
  readonly sections: ReadonlySignal<readonly SettingsSection[]> = this.#sections;

  readonly #sectionsOf = new Map<SettingsSection, string>();

  addSection(plugin: string, section: SettingsSection): void {
    this.#sectionsOf.set(section, plugin);
    this.#sections.value = [...this.#sections.value, section].sort((a, b) => a.order - b.order || a.id.localeCompare(b.id));
  }

  /** Takes away everything that a plugin has registered. */
  remove(plugin: string): void {
    batch(() => {
      for (const [slot, entries] of this.#entries.value) {
        if (entries.some((entry) => entry.plugin === plugin)) this.#set(slot, entries.filter((entry) => entry.plugin !== plugin));
      }
      this.#views.value = this.#views.value.filter((view) => view.plugin !== plugin);
      this.#sections.value = this.#sections.value.filter((section) => this.#sectionsOf.get(section) !== plugin);
    });
  }

  addView(plugin: string, view: View): void {
    this.#views.value = [...this.#views.value, { ...view, plugin }].sort((a, b) => a.id.localeCompare(b.id));
  }

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
