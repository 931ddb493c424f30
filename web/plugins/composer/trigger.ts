// Where in a draft something is being typed that has suggestions. Pure.

/** A piece of the draft that suggestions are for; what is picked takes its place. */
export interface Trigger {
  /** `command`: a slash at the very start; `file`: an at sign where a word begins. */
  readonly kind: "command" | "file";
  readonly from: number;
  readonly to: number;
  /** What stands between the sign and the caret. */
  readonly query: string;
}

/** The trigger that the caret is in. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const rest = /^\S*/.exec(text.slice(caret, caret + 1024))?.[0].length ?? 0;
  if (/^\/[^\s/]*$/.test(before)) return { kind: "command", from: 0, to: caret + rest, query: before.slice(1) };
  const line = before.slice(Math.max(before.lastIndexOf("\n") + 1, caret - 1024));
  // Not in a mail address or a path: there the sign stands inside a word. A language without spaces has none to ask for.
  const file = /(?:^|[^\w.@/-])@([^\s@]*)$/.exec(line)?.[1];
  return file === undefined ? undefined : { kind: "file", from: caret - file.length - 1, to: caret + rest, query: file };
}

/** How a message mentions a file: a path that would not stand as one word is written as a JSON string. */
export function mention(path: string): string {
  return `@${/^[\p{L}\p{N}\p{M}_./+,=~#%^&!-]+$/u.test(path) ? path : quoted(path)}`;
}

/** A path on one line, with everything in it to be seen. */
export function oneLine(path: string): string {
  return /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(path) ? quoted(path) : path;
}

function quoted(path: string): string {
  return JSON.stringify(path).replace(/[\p{Cf}\u2028\u2029]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
