// The commands of the composer: lines that begin with a slash and are carried
// out instead of being sent.

export type CommandName = "compact" | "title" | "model" | "help";

export interface Command {
  readonly name: CommandName;
  /** It takes the rest of the line, and needs it. */
  readonly takes: boolean;
  /** There must be a session to do it to. */
  readonly session: boolean;
}

export const commands: readonly Command[] = [
  { name: "compact", takes: false, session: true },
  { name: "title", takes: true, session: true },
  { name: "model", takes: false, session: false },
  { name: "help", takes: false, session: false },
];

/**
 * What a draft is:
 * - `command`: a known one, with the rest of its line
 * - `unknown`: looks like a command and is none. It may be a slip or words that
 *   begin with a slash, so the person is asked before it is sent
 * - `text`: everything else, a path among it
 */
export type Line =
  | { readonly kind: "command"; readonly command: Command; readonly rest: string }
  | { readonly kind: "unknown"; readonly name: string }
  | { readonly kind: "text" };

export function lineOf(draft: string, isSkill: (name: string) => boolean): Line {
  const match = /^\s*\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(draft.length > 100_000 ? "" : draft);
  const name = match?.[1];
  if (name === undefined) return { kind: "text" };
  const command = commands.find((item) => item.name === name.toLowerCase());
  if (command) return { kind: "command", command, rest: (match?.[2] ?? "").trim() };
  return isSkill(name) ? { kind: "text" } : { kind: "unknown", name };
}
