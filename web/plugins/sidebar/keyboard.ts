// What a key does in the tree: where the focus goes, or which group folds.

import type { Group, TreeRow } from "./groups";

export type Step = { readonly go: number } | { readonly toggle: Group } | undefined;

/** For a key without modifiers, with the row at `at` focused. Undefined for a key that means nothing there. */
export function step(key: string, rows: readonly TreeRow[], at: number): Step {
  const row = rows[at];
  if (!row) return undefined;
  const unfolded = row.kind === "group" && row.expanded === true;
  switch (key) {
    case "ArrowDown":
      return { go: Math.min(at + 1, rows.length - 1) };
    case "ArrowUp":
      return { go: Math.max(at - 1, 0) };
    case "Home":
      return { go: 0 };
    case "End":
      return { go: rows.length - 1 };
    case "ArrowRight":
      if (row.kind !== "group" || row.expanded === undefined) return undefined;
      return unfolded ? { go: at + 1 } : { toggle: row.group };
    case "ArrowLeft":
      if (unfolded) return { toggle: row.group };
      return row.kind === "session" && row.level === 2 ? { go: rows.findIndex((other) => other.kind === "group" && other.group.id === row.group.id) } : undefined;
    case "Enter":
    case " ":
      return row.kind === "group" && row.expanded !== undefined ? { toggle: row.group } : undefined;
    default:
      return undefined;
  }
}

/** How long typed letters are one word, in milliseconds. */
const patience = 700;

/** Finds the next row whose name begins with what was typed. */
export class TypeAhead {
  #typed = "";
  #last = 0;

  /** True while letters are being typed, when a space is one of them. */
  typing(time: number): boolean {
    return this.#typed !== "" && time - this.#last < patience;
  }

  /** Another key was pressed: the next letter begins a word. */
  end(): void {
    this.#typed = "";
  }

  /** The row to go to; undefined when none is called that. The same letter again goes on to the next one. */
  find(letter: string, time: number, names: readonly string[], at: number): number | undefined {
    this.#typed = this.typing(time) ? this.#typed + letter.toLowerCase() : letter.toLowerCase();
    this.#last = time;
    const repeated = [...this.#typed].every((each) => each === this.#typed[0]);
    const sought = repeated ? (this.#typed[0] ?? "") : this.#typed;
    const from = repeated ? at + 1 : at;
    for (let i = 0; i < names.length; i++) {
      const index = (from + i) % names.length;
      if (names[index]?.toLowerCase().startsWith(sought)) return index;
    }
    return undefined;
  }
}
