// Projects a session's log to the rows people read. A state machine without
// DOM or time: the same events give the same rows, live or after a reload.

import type { JsonObject, SessionEvent, ToolView, ViewedEvent } from "../wire/types";
import { AnswerRows } from "./answers";
import { CallRows } from "./calls";
import { contentText, integer, isForeign, isReplacement, list, messageOf, object, sourceKind, sourceRpcId, text } from "./events";
import { RetryRows } from "./retries";
import type { CompactionRow, Transcript } from "./rows";
import { RowTable } from "./rowtable";

export class TranscriptProjection {
  readonly #table = new RowTable();
  readonly #calls = new CallRows(this.#table);
  readonly #answers = new AnswerRows(this.#table, this.#calls);
  readonly #retries = new RetryRows(this.#table, this.#answers);
  #snapshot: Transcript | undefined;
  #seq = -1;
  #turn = 0;
  #turnOpen = false;
  #turns = 0;
  #title = "";
  #rpcIds = new Set<string>();
  /** The compaction that events without an id belong to: the last that began. */
  #compacting = "";

  apply(items: readonly ViewedEvent[]): void {
    for (const item of items) {
      this.#table.now = item.event.seq;
      this.#event(item.event, item.view);
      this.#seq = item.event.seq;
    }
    if (items.length > 0) this.#snapshot = undefined;
  }

  /** The event that a row tells of: for a tool call its tool/call, else the first one that made the row. */
  eventOf(rowKey: string): number | undefined {
    return this.#table.eventOf(rowKey);
  }

  /** The row that an event is told by: its own, or the first one after it. */
  rowOf(seq: number): string | undefined {
    return this.#table.rowOf(seq);
  }

  snapshot(): Transcript {
    this.#snapshot ??= {
      rows: this.#table.all(),
      seq: this.#seq,
      turnOpen: this.#turnOpen,
      turns: this.#turns,
      title: this.#title,
      rpcIds: new Set(this.#rpcIds),
    };
    return this.#snapshot;
  }

  #event(event: SessionEvent, view: ToolView | undefined): void {
    const data = event.data;
    switch (event.type) {
      case "turn/start":
        this.#turnStart(data);
        return;
      case "step/start":
        this.#answers.enter(data, this.#turn);
        return;
      case "user/message":
      case "steering/message":
        if (!isReplacement(event)) this.#user(event);
        return;
      case "assistant/chunk":
        this.#answers.enter(data, this.#turn);
        this.#answers.chunk(object(data["chunk"]), this.#turnOpen);
        return;
      case "assistant/message":
        if (isReplacement(event)) return;
        this.#answers.enter(data, this.#turn);
        this.#answers.message(event);
        this.#retries.recovered();
        return;
      case "llm/retry":
        this.#answers.enter(data, this.#turn);
        this.#retries.wait(event);
        return;
      case "llm/retry-started":
        this.#answers.enter(data, this.#turn);
        this.#retries.settle("running");
        return;
      case "tool/call":
        this.#calls.begin(event, view);
        return;
      case "tool/result":
        if (!isReplacement(event)) this.#calls.result(event, view);
        return;
      case "approval/asked":
        this.#calls.asked(data, event.time);
        return;
      case "approval/decided":
        this.#calls.decided(data, event.time);
        return;
      case "compaction/start":
      case "compact/start": // as dsh called it first
        this.#compacting = text(data["compactionId"]) || `@${event.seq}`;
        this.#compaction(data, (row) => ({ ...row, state: "running" }));
        return;
      case "compaction/summary":
      case "compact/summary":
        this.#compaction(data, (row) => ({ ...row, summary: text(data["summary"]) || contentText(data["summary"]) }));
        return;
      case "compaction/end":
      case "compact/end":
        this.#compaction(data, (row) => ({ ...row, ...compactionEnd(object(data["error"])) }));
        return;
      case "turn/end":
        this.#turnEnd(event);
        return;
      case "session/title":
        this.#title = text(data["title"]);
        return;
      default:
        if (isForeign(event.type)) this.#table.put({ kind: "unknown", key: `event:${event.seq}`, type: event.type, data });
    }
  }

  #turnStart(data: JsonObject): void {
    this.#turn = integer(data["turn"]) ?? this.#turn + 1;
    this.#turnOpen = true;
    this.#turns++;
    this.#answers.beginTurn();
    this.#retries.beginTurn(text(object(data["trigger"])["kind"]) === "retry");
    this.#table.beginTurn();
  }

  #user(event: SessionEvent): void {
    const message = messageOf(event);
    const kind = sourceKind(message);
    const key = `message:${event.seq}`;
    if (kind !== "user") {
      const source = text(object(message["source"])["plugin"]) || kind;
      this.#table.put({ kind: "context", key, source, text: contentText(message["content"]) });
      return;
    }
    const rpcId = sourceRpcId(message);
    if (rpcId !== "") this.#rpcIds.add(rpcId);
    const attachments = list(message["content"]).filter((block) => text(object(block)["type"]) !== "text").length;
    this.#table.put({ kind: "user", key, text: contentText(message["content"]), attachments });
  }

  #turnEnd(event: SessionEvent): void {
    this.#turnOpen = false;
    this.#answers.settle();
    this.#calls.stop();
    const reason = object(event.data["reason"]);
    const key = `end:${event.seq}`;
    // A log of dsh's first days has nothing but an error's text.
    const kind = text(reason["kind"]) || ("error" in event.data ? "error" : "");
    const waits = this.#retries.waiting;
    this.#retries.settle(kind === "error" ? "exhausted" : kind === "completed" || kind === "max-tokens" ? "recovered" : "cancelled");
    if (kind === "error") {
      const failure = "error" in reason ? object(reason["error"]) : "failure" in reason ? object(reason["failure"]) : reason;
      this.#table.put({ kind: "failure", key, code: text(failure["code"]) || "UNKNOWN", message: text(failure["message"]), status: integer(failure["status"]) });
      if (waits !== "") this.#retries.defer(waits, key);
    } else if (kind === "aborted" || kind === "disposed") {
      this.#table.put({ kind: "ending", key, ending: "stopped" });
    } else if (kind === "interrupted" || kind === "max-tokens" || kind === "blocked") {
      this.#table.put({ kind: "ending", key, ending: kind });
    }
    if (kind === "completed") this.#answers.complete();
  }

  /** A log from elsewhere may hold a summary without its start. */
  #compaction(data: JsonObject, change: (row: CompactionRow) => CompactionRow): void {
    const key = `compaction:${text(data["compactionId"]) || this.#compacting}`;
    const row = this.#table.get(key);
    this.#table.put(change(row?.kind === "compaction" ? row : { kind: "compaction", key, state: "done", summary: "", code: "", message: "" }));
  }
}

function compactionEnd(error: JsonObject): Pick<CompactionRow, "state" | "code" | "message"> {
  const code = text(error["code"]);
  const state = code === "" ? "done" : code === "ABORTED" ? "stopped" : code === "INTERRUPTED" ? "interrupted" : "failed";
  return { state, code, message: text(error["message"]) };
}
