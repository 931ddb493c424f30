// What a person has begun and not finished, kept over a reload: drafts, half
// given answers. It is the tab's own (sessionStorage), so that two tabs don't
// overwrite one another's; a tab that is closed takes it along.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { Json } from "../wire/types";

export interface KeptMap<T extends Json> {
  readonly values: ReadonlySignal<ReadonlyMap<string, T>>;
  /** Keeps a value, or with undefined forgets it. */
  put(id: string, value: T | undefined): void;
  /** Writes what is not written yet. */
  flush(): void;
}

/** The newest values are kept, this many at most. */
export const keptAtMost = 20;
/** Characters of JSON that are written at each change; what is longer is written when the page is left. */
const atOnce = 64_000;
/** Characters of JSON beyond which the oldest values are not written. */
export const keptCharacters = 2_000_000;

/** Where a tab keeps texts; `sessionStorage` is one. */
export type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Values by id, newest last. `known` reads one from JSON that anybody may have written; undefined is not one. A browser that keeps nothing keeps them for the life of the page. */
export function keptMap<T extends Json>(name: string, known: (value: Json) => T | undefined, store: () => TextStore = () => sessionStorage): KeptMap<T> {
  const key = `keylane.${name}`;
  const current = signal<ReadonlyMap<string, T>>(read(key, known, store));
  let written = true;
  /** The page is being left: what its calls say now that they are cut off is not what the person wants kept. */
  let left = false;

  const flush = () => {
    if (written || left) return;
    written = true;
    write(key, current.peek(), store);
  };
  addEventListener("pagehide", () => {
    flush();
    left = true;
  });
  addEventListener("pageshow", () => (left = false)); // it was kept whole and is come back to
  return {
    values: current,
    put: (id, value) => {
      const next = new Map(current.peek());
      next.delete(id);
      if (value !== undefined) next.set(id, value);
      for (const oldest of next.keys()) {
        if (next.size <= keptAtMost) break;
        next.delete(oldest);
      }
      current.value = next;
      written = false;
      if (sizeOf(next) <= atOnce) flush();
    },
    flush,
  };
}

/** About how many characters the values are. Only texts can be long. */
function sizeOf(values: ReadonlyMap<string, Json>): number {
  let size = 0;
  const add = (value: Json): void => {
    if (typeof value === "string") size += value.length;
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(add);
  };
  values.forEach(add);
  return size;
}

function read<T extends Json>(key: string, known: (value: Json) => T | undefined, store: () => TextStore): ReadonlyMap<string, T> {
  const values = new Map<string, T>();
  try {
    const entries = JSON.parse(store().getItem(key) ?? "[]") as Json;
    if (!Array.isArray(entries)) return values;
    for (const entry of entries as readonly Json[]) {
      if (!Array.isArray(entry)) continue;
      const [id, json] = entry as readonly Json[];
      const value = json === undefined ? undefined : known(json);
      if (typeof id === "string" && value !== undefined) values.set(id, value);
    }
  } catch {
    // Storage is forbidden here, or holds what nobody wrote: there is nothing.
  }
  return values;
}

function write<T extends Json>(key: string, values: ReadonlyMap<string, T>, store: () => TextStore): void {
  let room = keptCharacters;
  const entries: string[] = [];
  for (const entry of [...values].reverse()) {
    const text = JSON.stringify(entry);
    room -= text.length;
    if (room >= 0) entries.unshift(text);
  }
  try {
    if (entries.length === 0) store().removeItem(key);
    else store().setItem(key, `[${entries.join(",")}]`);
  } catch {
    // Storage is forbidden or full: it holds until the page is left.
  }
}
