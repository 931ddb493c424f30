// The rows of what the model says: streamed block by block, then replaced by
// the message that the host makes of it.

import type { JsonObject, SessionEvent } from "../wire/types";
import type { CallRows } from "./calls";
import { contentText, integer, list, messageOf, object, text } from "./events";
import type { TextRow } from "./rows";
import type { RowTable } from "./rowtable";

export class AnswerRows {
  /** The model call being streamed: "<turn>.<step>", how many attempts it took, and whether this one is over. */
  #call = "";
  #attempt = 0;
  #finished = false;
  /** The row that the turn's last message of the model ended with, "" for none. */
  #said = "";

  constructor(
    readonly table: RowTable,
    readonly calls: CallRows,
  ) {}

  /** The model call that is read: "<turn>.<step>". */
  get call(): string {
    return this.#call;
  }

  beginTurn(): void {
    this.#said = "";
  }

  enter(data: JsonObject, turn: number): void {
    const call = `${integer(data["turn"]) ?? turn}.${integer(data["step"]) ?? 0}`;
    if (call === this.#call) return;
    this.#call = call;
    this.#attempt = 0;
    this.#finished = false;
  }

  chunk(chunk: JsonObject, turnOpen: boolean): void {
    const type = text(chunk["type"]);
    if (this.#finished && type !== "usage" && type !== "finish") this.dropAttempt();
    const index = integer(chunk["index"]) ?? 0;
    switch (type) {
      case "text-delta":
        this.#grow("text", index, text(chunk["text"]));
        return;
      case "reasoning-delta":
        this.#grow("reasoning", index, text(chunk["text"]));
        return;
      case "tool-call-delta":
        this.calls.grow(chunk);
        return;
      case "block-end":
        this.#settleBlock(index, object(chunk["block"]));
        return;
      case "finish":
        this.#finished = true;
        this.settle();
        if (!turnOpen) this.calls.stop(); // a fixture may hold nothing but chunks: no call of theirs will begin
        return;
    }
  }

  /**
   * The assembled message is the truth about its step: its blocks replace what
   * the chunks said, matched by kind in order (a message may leave out a blank
   * or unfinished block that was streamed).
   */
  message(event: SessionEvent): void {
    const streamed = this.table.ofTurn().filter((row) => row.key.startsWith(this.#prefix));
    const content = messageOf(event)["content"];
    this.#said = "";
    list(content).forEach((value, position) => {
      const block = object(value);
      const type = text(block["type"]);
      if (type === "tool-call") this.calls.settle(block);
      if (type !== "text" && type !== "reasoning") return;
      const match = streamed.findIndex((row) => row.kind === type);
      const key = match < 0 ? `${this.#prefix}m${position}` : streamed.splice(match, 1)[0]!.key;
      this.table.put({ kind: type, key, text: text(block["text"]), streaming: false });
      if (type === "text") this.#said = key;
    });
    const last = this.table.get(this.#said);
    if (last?.kind === "text") this.table.put({ ...last, message: { seq: event.seq, text: contentText(content), ends: false } });
    this.settle();
    this.#finished = true;
  }

  /** The turn completed: the conversation can go on from its last message. */
  complete(): void {
    const last = this.table.get(this.#said);
    if (last?.kind === "text" && last.message) this.table.put({ ...last, message: { ...last.message, ends: true } });
  }

  /** Nothing more comes of what is streaming. */
  settle(): void {
    for (const row of this.table.ofTurn()) {
      if ((row.kind === "text" || row.kind === "reasoning") && row.streaming) this.table.put({ ...row, streaming: false });
    }
  }

  /** Forgets what a failed attempt had streamed: the step is tried again. */
  dropAttempt(): void {
    const prefix = this.#prefix;
    this.table.keep((row) => !row.key.startsWith(prefix) && !(row.kind === "tool" && row.state === "preparing"));
    this.#attempt++;
    this.#finished = false;
  }

  get #prefix(): string {
    return `block:${this.#call}.${this.#attempt}.`;
  }

  #grow(kind: TextRow["kind"], index: number, delta: string): void {
    const key = `${this.#prefix}${index}`;
    const row = this.table.get(key);
    if (row?.kind === kind && !row.streaming) return; // its end was said
    const before = row?.kind === kind ? row.text : "";
    this.table.put({ kind, key, text: before + delta, streaming: true });
  }

  #settleBlock(index: number, block: JsonObject): void {
    const type = text(block["type"]);
    if (type === "text" || type === "reasoning") {
      this.table.put({ kind: type, key: `${this.#prefix}${index}`, text: text(block["text"]), streaming: false });
    } else if (type === "tool-call") {
      this.calls.settle(block);
    }
  }
}
