// What a person prefers. What the host keeps (model/settings) is the same in
// every tab, browser and host of the same home; what this browser keeps is only
// about what this browser shows.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { SettingsValues } from "../wire/types";
import { settings } from "./settings";

export interface Preference<T extends string> {
  readonly value: ReadonlySignal<T>;
  /** It holds here at once, and everywhere when the host has it; if it gets nowhere, settings.failure says why. */
  set(value: T): void;
}

function preference<K extends keyof SettingsValues>(key: K): Preference<SettingsValues[K]> {
  return { value: computed(() => settings.values.value[key]), set: (value) => void settings.set(key, value) };
}

/** A set of ids, empty at first. Each member is kept by itself, so that tabs don't overwrite one another's. */
export interface KeptSet {
  readonly values: ReadonlySignal<ReadonlySet<string>>;
  /** Puts an id in, or takes it out. */
  put(id: string, inside: boolean): void;
}

function keptSet(name: string): KeptSet {
  const prefix = `keylane.${name}.`;
  const current = signal<ReadonlySet<string>>(members(prefix));
  addEventListener("storage", (event) => {
    if (event.key === null || event.key.startsWith(prefix)) current.value = members(prefix); // another tab
  });
  return {
    values: current,
    put: (id, inside) => {
      if (current.value.has(id) === inside) return;
      current.value = new Set(inside ? [...current.value, id] : [...current.value].filter((other) => other !== id));
      if (inside) write(prefix + id, "1");
      else forget(prefix + id);
    },
  };
}

/** An id that is kept until another is put in its place. Other tabs are not followed: there, somebody may just be writing. */
function keptId(name: string): Signal<string | undefined> {
  const key = `keylane.${name}`;
  const current = signal(read(key) ?? undefined);
  current.subscribe((value) => {
    if (value === undefined) forget(key);
    else write(key, value);
  });
  return current;
}

function members(prefix: string): ReadonlySet<string> {
  try {
    return new Set(Object.keys(localStorage).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)));
  } catch {
    return new Set(); // storage is forbidden here
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is forbidden here: nothing was kept
  }
}

function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage is forbidden: nothing was kept.
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is forbidden or full: it holds until the page is left.
  }
}

/** What Enter does with a message while a turn runs; with Ctrl or Cmd it does the other. */
export const busyEnter = preference("ui-conversation.busyEnter");

/** Whether the sidebar has one group of sessions for each folder, or one list. */
export const groupBy = preference("ui-sidebar.groupBy");

/** How the page looks. */
export const theme = preference("ui-theme.preference");

/** What the page speaks; "" is as the browser says. */
export const language = preference("locale.preference");

/** What new sessions may do; "" is as the host says. */
export const permission = preference("permission.defaultPreset");

/** Groups of the sidebar that are not as they are at first: folded, or, the archived sessions, unfolded. */
export const toggledGroups: KeptSet = keptSet("toggledGroups");

/** Sessions that went to rest while nobody looked, and that nobody has looked at since. */
export const unread: KeptSet = keptSet("unread");

/** The workspace that was chosen last for a new session; undefined means the host's default folder. */
export const lastWorkspace: Signal<string | undefined> = keptId("workspace");
