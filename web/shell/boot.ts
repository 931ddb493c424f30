// Loads the plugins that the host announces in /boot.json.

import { batch, signal } from "@preact/signals";
import type { PluginScope, SlotRegistry } from "keylane";
import { notePage, notePluginFailure, pageRev } from "keylane";
import { bounded } from "./boundary";

interface BootManifest {
  readonly rev: string;
  readonly plugins: readonly { readonly id: string; readonly path: string; readonly css?: string; readonly rev: string }[] | null;
}

export type BootState = "loading" | "ready" | "failed";

export class Boot {
  readonly state = signal<BootState>("loading");
  /** The host serves another build of the page than this one. */
  readonly outdated = signal(false);
  constructor(readonly slots: SlotRegistry) {}

  /** Looks whether the host still serves this page: another one may answer after a lost connection. */
  async look(): Promise<void> {
    try {
      const { rev } = await announced();
      if (pageRev.peek() !== "") this.outdated.value = rev !== pageRev.peek();
    } catch {
      // It is gone again: the next connection looks again.
    }
  }

  async run(): Promise<void> {
    let manifest: BootManifest;
    try {
      manifest = await announced();
      notePage(manifest.rev);
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
        if (result.status === "rejected") {
          notePluginFailure(id, "load", result.reason);
          return;
        }
        try {
          result.value.activate({
            id,
            fill: (slot, component, order = 0) => void this.slots.add(slot, { plugin: id, component, order }),
            view: (view) => this.slots.addView(id, view),
            settings: (section) => this.slots.addSection(id, { ...section, component: bounded(id, section.component) }),
            sections: this.slots.sections,
          });
        } catch (error) {
          this.slots.remove(id); // half a plugin is no plugin
          notePluginFailure(id, "activate", error);
        }
      });
      this.state.value = "ready";
    });
  }
}

async function announced(): Promise<BootManifest> {
  const response = await fetch("/boot.json", { cache: "no-store" });
  if (!response.ok) throw new Error(`the host answered ${response.status}`);
  return response.json();
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
