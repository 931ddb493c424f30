// The text/event-stream format, as far as the host uses it.

/** One block of a stream: what stood between two blank lines. */
export interface Block {
  /** The block's `id:` field; a block may consist of it alone and then only moves the cursor. */
  readonly id: string | undefined;
  /** The `data:` lines, joined; undefined for a comment or an id alone. */
  readonly data: string | undefined;
}

/**
 * Splits a stream, fed in pieces of any size, into blocks. Lines end with LF
 * or CRLF (the host sends LF); unknown fields and comments are skipped.
 */
export class BlockParser {
  #rest = "";
  #id: string | undefined;
  #data: string[] = [];
  #any = false;

  push(piece: string): Block[] {
    const blocks: Block[] = [];
    const text = this.#rest + piece;
    let start = 0;
    for (let end = text.indexOf("\n", start); end >= 0; end = text.indexOf("\n", start)) {
      const line = text.slice(start, text[end - 1] === "\r" && end > start ? end - 1 : end);
      start = end + 1;
      if (line !== "") this.#field(line);
      else if (this.#any) blocks.push(this.#take());
    }
    this.#rest = text.slice(start);
    return blocks;
  }

  #field(line: string): void {
    this.#any = true;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (name === "id") this.#id = value;
    else if (name === "data") this.#data.push(value);
  }

  #take(): Block {
    const block = { id: this.#id, data: this.#data.length > 0 ? this.#data.join("\n") : undefined };
    this.#id = undefined;
    this.#data = [];
    this.#any = false;
    return block;
  }
}
