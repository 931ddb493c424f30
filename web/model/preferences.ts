// What a person prefers, kept in this browser. The one place that knows where:
// when the host keeps settings, they come from there instead.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { PromptMode } from "../wire/types";

export interface Preference<T extends string> {
  readonly value: ReadonlySignal<T>;
  set(value: T): void;
}

/** A preference that has one of a few values; `values[0]` until one is chosen. A browser that keeps nothing keeps it for the life of the page. */
function preference<T extends string>(name: string, values: readonly [T, ...T[]]): Preference<T> {
  const key = `keylane.${name}`;
  const known = (text: string | null): T => values.find((value) => value === text) ?? values[0];
  const current = signal(known(read(key)));
  addEventListener("storage", (event) => {
    if (event.key === key) current.value = known(event.newValue); // another tab
  });
  return {
    value: current,
    set: (value) => {
      current.value = value;
      write(key, value);
    },
  };
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is forbidden here: the first value holds
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
export const busyEnter: Preference<PromptMode> = preference("busyEnter", ["queue", "steer"]);
