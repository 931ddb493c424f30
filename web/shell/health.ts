// Which plugins of this page failed, when and why. A plugin that fails takes only itself away: the shell shows a notice where it was, or
// above the composer where it had no place yet, and it can be disabled until the page is loaded again.

import { signal, type ReadonlySignal } from "@preact/signals";

/**
 * - `load`: its bundle or style sheet did not arrive, or threw while it ran
 * - `activate`: its activate() threw; nothing of what it had registered is kept
 * - `render`: a component, one of its effects or its clean-up threw; that component is replaced
 * - `event`: a handler or something it had begun threw; its components stay as they are
 */
export type FailureMoment = "load" | "activate" | "render" | "event";

export interface PluginFailure {
  readonly plugin: string;
  readonly moment: FailureMoment;
  /** What was thrown, with the chain of its causes. */
  readonly reason: string;
}

const failures = signal<readonly PluginFailure[]>([]);
const disabled = signal<ReadonlySet<string>>(new Set());
const rev = signal("");

/** In the order of their coming; the same reason of the same plugin once. */
export const pluginFailures: ReadonlySignal<readonly PluginFailure[]> = failures;
/** Plugins that the person switched off for as long as the page is open. */
export const disabledPlugins: ReadonlySignal<ReadonlySet<string>> = disabled;
/** The revision of the page's bundle; "" until the boot manifest has come. */
export const pageRev: ReadonlySignal<string> = rev;

export function notePage(revision: string): void {
  rev.value = revision;
}

/** Remembers that a plugin failed and says so in the console, with the error itself. */
export function notePluginFailure(plugin: string, moment: FailureMoment, error: unknown): void {
  // What a handler throws is in the console already: the browser puts it there.
  if (moment !== "event") console.error(`[keylane] plugin ${plugin} failed (${moment})`, error);
  const reason = reasonOf(error);
  if (failures.value.some((known) => known.plugin === plugin && known.moment === moment && known.reason === reason)) return;
  failures.value = [...failures.value, { plugin, moment, reason }];
}

/** Marks a plugin as switched off. The shell takes away what it had registered. */
export function noteDisabled(plugin: string): void {
  disabled.value = new Set([...disabled.value, plugin]);
}

/** What an error says, and what each of its causes says. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let each: unknown = error; each !== undefined && each !== null && said.length < 8; each = each instanceof Error ? each.cause : undefined) {
    const text = each instanceof Error ? each.message || each.name : String(each);
    if (text) said.push(text);
  }
  return said.join(": ");
}

/** The plugin whose bundle is first in a stack, the innermost frame first; undefined when none is. */
export function pluginOf(stack: string): string | undefined {
  return /\/plugins\/([a-z0-9-]+)\/client\.js/.exec(stack)?.[1];
}

/** Attributes what nobody catches to the plugin it comes from, as long as the page lives. */
export function watchUncaught(target: Window): void {
  const note = (error: unknown, file: string) => {
    const plugin = pluginOf((error instanceof Error && error.stack) || file);
    if (plugin) notePluginFailure(plugin, "event", error);
  };
  target.addEventListener("error", (event) => note(event.error ?? event.message, event.filename));
  target.addEventListener("unhandledrejection", (event) => note(event.reason, ""));
}
