// Splits markdown into its top-level blocks, cheaply while the text grows:
// blocks that can't change any more are kept, only the end is read again.

import type { Token } from "marked";
import { formed } from "./forming";
import { lex } from "./render";

export interface Block {
  readonly token: Token;
  /** A fence that has been closed, or any block of a finished text. */
  readonly closed: boolean;
}

/** How many blocks at the end may still change as text is added (a list goes on, a paragraph becomes a heading). */
const open = 3;

export class BlockSplitter {
  #text = "";
  #settled: Block[] = [];
  #settledLength = 0;
  #blocks: readonly Block[] = [];
  #finished = false;

  /** The blocks of `text`; blocks that haven't changed keep their identity. */
  update(text: string, streaming: boolean): readonly Block[] {
    if (text === this.#text && this.#finished === !streaming) return this.#blocks;
    // A finished text is read as a whole once: what it means may depend on its end.
    if (!streaming || !text.startsWith(this.#text)) {
      this.#settled = [];
      this.#settledLength = 0;
    }
    this.#text = text;
    this.#finished = !streaming;
    const rest = text.slice(this.#settledLength);
    const tail = lex(streaming ? formed(rest) : rest);
    for (const token of tail.slice(0, Math.max(0, tail.length - open))) {
      if (!streaming) break;
      this.#settledLength += token.raw.length;
      if (token.type !== "space") this.#settled.push({ token, closed: true });
    }
    const kept = streaming ? tail.slice(-open) : tail;
    const fresh = kept.filter((token) => token.type !== "space").map((token): Block => ({ token, closed: !streaming || fenceClosed(token) }));
    this.#blocks = this.#reuse(this.#settled.concat(fresh));
    return this.#blocks;
  }

  #reuse(blocks: readonly Block[]): readonly Block[] {
    return blocks.map((block, position) => {
      const before = this.#blocks[position];
      return before && before.token.raw === block.token.raw && before.closed === block.closed ? before : block;
    });
  }
}

function fenceClosed(token: Token): boolean {
  return token.type === "code" && /\n[ \t]*(`{3,}|~{3,})[ \t]*\n*$/.test(token.raw);
}
