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

export { TypeAhead } from "keylane";
