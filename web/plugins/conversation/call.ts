// Reads a tool call the way a row shows it: verb, object, details. Prefers
// what the host says about it (the view) over the model's raw arguments.

import type { JsonObject, ToolRow } from "keylane";

export interface CallFacts {
  /** The tool's name as a verb: "Bash". */
  readonly verb: string;
  /** What it acts on, in a few words; may be empty while arguments arrive. */
  readonly object: string;
  readonly terminal: boolean;
  readonly command: string;
  readonly exitCode: number | undefined;
  /** A signal or the time limit ended it: there is no exit code to tell by. */
  readonly killed: boolean;
}

export function callFacts(row: ToolRow): CallFacts {
  const view = { ...row.callView, ...row.resultView };
  const args = parseArguments(row.arguments);
  const terminal = view["card"] === "terminal" || row.name === "bash";
  const command = string(view["command"]) || string(args["command"]);
  const described = string(view["description"]) || string(args["description"]);
  const first = Object.values(args).find((value) => typeof value === "string" && value !== "");
  const exitCode = typeof view["exitCode"] === "number" ? view["exitCode"] : undefined;
  return {
    verb: row.name === "" ? "…" : row.name.charAt(0).toUpperCase() + row.name.slice(1).replaceAll("_", " "),
    // While arguments still arrive, only a description is final enough to show.
    object: oneLine(described || (row.state === "preparing" ? "" : command || string(first))),
    terminal,
    command,
    exitCode,
    killed: string(view["signal"]) !== "" || view["timedOut"] === true,
  };
}

/** The arguments, or of an unfinished text the strings that are complete. */
function parseArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as JsonObject;
  } catch {
    return Object.fromEntries(Array.from(text.matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")/g), ([, key, value]) => [key, decode(value)]));
  }
  return {};
}

function decode(quoted: string | undefined): string {
  try {
    return String(JSON.parse(quoted ?? '""'));
  } catch {
    return "";
  }
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function oneLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
