// Formulas in markdown: $…$ and \(…\) in a line, $$…$$ and \[…\] for one that
// stands by itself. A dollar sign that money could mean stays one: a formula
// begins and ends without a space, and no digit follows it.

import type { TokenizerAndRendererExtension, Tokens } from "marked";

export interface Formula extends Tokens.Generic {
  readonly type: "formula" | "displayFormula";
  readonly tex: string;
}

const inLine = /^(?:\$\$([^$]+?)\$\$|\$(?![\s$])((?:[^$\\\n]|\\[^\n])*?(?:[^$\s\\]|\\[^\s\n]))\$(?!\d)|\\\(([^]*?)\\\)|\\\[([^]*?)\\\])/;
const alone = /^ {0,3}(?:\$\$([^]*?[^\s][^]*?)\$\$|\\\[([^]*?)\\\])[ \t]*(?:\n+|$)/;

/** What marked has to know; `show` gives the HTML of a formula. */
export function formulas(show: (tex: string, display: boolean) => string): TokenizerAndRendererExtension[] {
  const renderer = (token: Tokens.Generic) => show(String(token["tex"]), token.type === "displayFormula" || token["display"] === true);
  return [
    {
      name: "displayFormula",
      level: "block",
      start: (text) => text.match(/(?:^|\n) {0,3}(?:\$\$|\\\[)/)?.index,
      tokenizer(text) {
        const found = alone.exec(text);
        const tex = (found?.[1] ?? found?.[2] ?? "").trim();
        // A blank line ends a formula: what comes after it was not meant.
        return found && tex !== "" && !/\n[ \t]*\n/.test(tex) ? { type: "displayFormula", raw: found[0], tex } : undefined;
      },
      renderer,
    },
    {
      name: "formula",
      level: "inline",
      start: (text) => text.match(/\$|\\[([]/)?.index,
      tokenizer(text) {
        const found = inLine.exec(text);
        const tex = (found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4] ?? "").trim();
        return found && tex !== "" ? { type: "formula", raw: found[0], tex, display: found[1] !== undefined || found[4] !== undefined } : undefined;
      },
      renderer,
    },
  ];
}
