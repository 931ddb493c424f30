// Reads a tool call the way a row shows it: verb, object, details. Prefers
// what the host says about it (the view) over the model's raw arguments.

import { todosOf, type IconName, type JsonObject, type ToolRow } from "keylane";
import { t } from "./messages";

export interface CallFacts {
  /** The tool's name as a verb: "Bash". */
  readonly verb: string;
  /** What it acts on, in a few words; may be empty while arguments arrive. */
  readonly object: string;
  readonly icon: IconName;
  readonly terminal: boolean;
  readonly command: string;
  readonly exitCode: number | undefined;
  /** A signal or the time limit ended it: there is no exit code to tell by. */
  readonly killed: boolean;
  /** How many matches a search came to. */
  readonly found: number | undefined;
}

/** The tools that this page knows by name: what they are called, and what they act on. The arguments tell it while the host has not. */
const known = {
  bash: { verb: "toolBash", icon: "terminal", object: () => "" },
  read: { verb: "toolRead", icon: "file-text", object: fileOf },
  write: { verb: "toolWrite", icon: "file-plus", object: fileOf },
  edit: { verb: "toolEdit", icon: "file-pen", object: fileOf },
  glob: { verb: "toolGlob", icon: "folder-search", object: patternOf },
  grep: { verb: "toolGrep", icon: "search", object: patternOf },
  todo_write: { verb: "toolTodo", icon: "list-todo", object: progressOf },
  ask_user_question: { verb: "toolAsk", icon: "circle-question-mark", object: questionOf },
  skill: { verb: "toolSkill", icon: "book-open", object: (view: JsonObject, args: JsonObject) => string(view["name"]) || string(args["name"]) },
} as const;

export function callFacts(row: ToolRow): CallFacts {
  const view = { ...row.callView, ...row.resultView };
  const args = parseArguments(row.arguments);
  const terminal = view["card"] === "terminal" || row.name === "bash";
  const command = string(view["command"]) || string(args["command"]);
  const described = string(view["description"]) || string(args["description"]);
  const first = Object.values(args).find((value) => typeof value === "string" && value !== "");
  const tool = Object.hasOwn(known, row.name) ? known[row.name as keyof typeof known] : undefined;
  const named = tool ? tool.object(view, args) : "";
  const exitCode = typeof view["exitCode"] === "number" ? view["exitCode"] : undefined;
  return {
    verb: tool ? t(tool.verb) : row.name === "" ? "…" : row.name.charAt(0).toUpperCase() + row.name.slice(1).replaceAll("_", " "),
    icon: tool?.icon ?? (terminal ? "terminal" : "wrench"),
    // While arguments still arrive, only whole ones are final enough to show.
    object: oneLine(named || described || (row.state === "preparing" ? "" : command || string(first))),
    terminal,
    command,
    exitCode,
    killed: string(view["signal"]) !== "" || view["timedOut"] === true,
    found: view["card"] === "search" && typeof view["matches"] === "number" ? view["matches"] : undefined,
  };
}

function fileOf(view: JsonObject, args: JsonObject): string {
  return string(view["path"]) || string(args["file_path"]);
}

function patternOf(view: JsonObject, args: JsonObject): string {
  return string(view["pattern"]) || string(args["pattern"]);
}

/** How far the list is, once there is one. */
function progressOf(view: JsonObject): string {
  const todos = todosOf(view);
  const done = todos.filter((todo) => todo.status === "completed").length;
  return todos.length === 0 ? "" : t("todoProgress", { done, n: todos.length });
}

function questionOf(view: JsonObject, args: JsonObject): string {
  const questions = view["questions"] ?? args["questions"];
  const first: unknown = Array.isArray(questions) ? questions[0] : undefined;
  return typeof first === "object" && first !== null && "question" in first ? string(first.question) : "";
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
