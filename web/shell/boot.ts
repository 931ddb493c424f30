// Loads the plugins that the host announces in /boot.json.

import { batch, signal } from "@preact/signals";
import type { PluginScope, SlotRegistry } from "keylane";
import { bounded } from "./boundary";

interface BootManifest {
  readonly rev: string;
  readonly plugins: readonly { readonly id: string; readonly path: string; readonly css?: string; readonly rev: string }[] | null;
}

export type BootState = "loading" | "ready" | "failed";

export class Boot {
  readonly state = signal<BootState>("loading");
  /** Ids of the plugins that could not be loaded or threw while activating. */
  readonly failed = signal<readonly string[]>([]);

  constructor(readonly slots: SlotRegistry) {}

  async run(): Promise<void> {
    let manifest: BootManifest;
    try {
      const response = await fetch("/boot.json", { cache: "no-store" });
      if (!response.ok) throw new Error(`the host answered ${response.status}`);
      manifest = await response.json();
    } catch (error) {
      console.error("[keylane] boot manifest", error);
      this.state.value = "failed";
      return;
    }
    const loads = (manifest.plugins ?? []).map(async (plugin) => {
      const [module] = await Promise.all([import(`${plugin.path}?rev=${plugin.rev}`), plugin.css ? styles(`${plugin.css}?rev=${plugin.rev}`) : undefined]);
      return { id: plugin.id, activate: module.activate as (scope: PluginScope) => void };
    });
    const results = await Promise.allSettled(loads);
    batch(() => {
      results.forEach((result, position) => {
        const id = manifest.plugins?.[position]?.id ?? "?";
        try {
          if (result.status === "rejected") throw result.reason;
          result.value.activate({
            id,
            fill: (slot, component, order = 0) => void this.slots.add(slot, { plugin: id, component, order }),
            view: (view) => this.slots.addView(id, view),
            settings: (section) => this.slots.addSection({ ...section, component: bounded(id, section.component) }),
            sections: this.slots.sections,
          });
        } catch (error) {
          console.error(`[keylane] plugin ${id} could not be loaded`, error);
          this.failed.value = [...this.failed.value, id];
        }
      });
      this.state.value = "ready";
    });
  }
}

/** Adds a style sheet and waits for it, so that a plugin never shows without. */
function styles(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = url;
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(`style sheet ${url} did not load`));
    document.head.append(link);
  });
}
