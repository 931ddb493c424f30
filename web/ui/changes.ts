// Reads the card of a change, which the host computed: hunks of lines that
// begin with " ", "+", "-" or "\".

import type { JsonObject } from "../wire/types";

export interface ChangeLine {
  readonly kind: "place" | "same" | "added" | "removed" | "note";
  readonly text: string;
  /** Number of the line in the file it is in: the new one, for removed lines the old one. */
  readonly number: number;
}

export interface Change {
  readonly path: string;
  readonly action: string;
  readonly added: number;
  readonly removed: number;
  readonly truncated: boolean;
  readonly lines: readonly ChangeLine[];
  /** The same in the form that patch reads. */
  readonly unified: () => string;
}

interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

const kinds = { " ": "same", "+": "added", "-": "removed", "\\": "note" } as const;

/** The change that a view tells of, undefined when it tells of none. */
export function changeOf(view: JsonObject | undefined): Change | undefined {
  if (view?.["card"] !== "diff" || !Array.isArray(view["hunks"])) return undefined;
  const hunks = (view["hunks"] as unknown as readonly Hunk[]).filter((hunk) => Array.isArray(hunk?.lines));
  const path = String(view["path"] ?? "");
  return {
    path,
    action: String(view["action"] ?? ""),
    added: Number(view["added"] ?? 0),
    removed: Number(view["removed"] ?? 0),
    truncated: view["truncated"] === true,
    lines: hunks.flatMap(numbered),
    unified: () => unified(path, view["action"] === "created", hunks),
  };
}

function numbered(hunk: Hunk): readonly ChangeLine[] {
  const lines: ChangeLine[] = [{ kind: "place", text: "", number: hunk.newStart }];
  let before = hunk.oldStart;
  let after = hunk.newStart;
  for (const line of hunk.lines) {
    const kind = kinds[line.charAt(0) as keyof typeof kinds] ?? "note";
    lines.push({ kind, text: line.slice(1), number: kind === "removed" ? before : after });
    if (kind === "same" || kind === "removed") before++;
    if (kind === "same" || kind === "added") after++;
  }
  return lines;
}

function unified(path: string, created: boolean, hunks: readonly Hunk[]): string {
  const range = (start: number, signs: string, lines: readonly string[]) => {
    const count = lines.filter((line) => signs.includes(line.charAt(0))).length;
    return `${count === 0 ? start - 1 : start},${count}`;
  };
  const parts = hunks.map(({ oldStart, newStart, lines }) => [`@@ -${range(oldStart, " -", lines)} +${range(newStart, " +", lines)} @@`, ...lines.map((line) => (line.startsWith("\\") ? "\\ No newline at end of file" : line))].join("\n"));
  return [`--- ${created ? "/dev/null" : `a/${path}`}`, `+++ b/${path}`, ...parts, ""].join("\n");
}
