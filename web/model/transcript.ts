// Projects a session's log to the rows people read. A state machine without
// DOM or time: the same events give the same rows, live or after a reload.

import type { JsonObject, SessionEvent, ToolView, ViewedEvent } from "../wire/types";
import { contentText, integer, isForeign, isReplacement, list, messageOf, object, sourceKind, sourceRpcId, text } from "./events";
import type { CompactionRow, RetryRow, Row, TextRow, ToolRow, ToolState, Transcript } from "./rows";

/** Error codes of calls that Stop, a decision, the session's mode or the host's end ended or kept from starting, and what became of them. */
const unrun: ReadonlyMap<string, ToolState> = new Map([
  ["TOOL_ABORTED", "stopped"],
  ["TOOL_ABORTED_BEFORE_DISPATCH", "skipped"],
  // The host ended meanwhile.
  ["TOOL_OUTCOME_UNKNOWN", "unknown"],
  ["TOOL_NOT_STARTED", "skipped"],
  // As dsh has called them meanwhile.
  ["ABORTED", "stopped"],
  ["ABORTED_BEFORE_DISPATCH", "skipped"],
  ["APPROVAL_REJECTED", "rejected"],
  ["READ_ONLY", "refused"],
]);

export class TranscriptProjection {
  #rows: Row[] = [];
  #index = new Map<string, number>();
  /** The event that a row tells of, by the row's key. */
  #events = new Map<string, number>();
  #now = -1;
  #snapshot: Transcript | undefined;
  #seq = -1;
  #turn = 0;
  #turnOpen = false;
  #turns = 0;
  /** Position of the open turn's first row; rows before it no longer change. */
  #turnRow = 0;
  #title = "";
  #rpcIds = new Set<string>();
  /** The calls that approvals are about, by the approvals' ids. */
  #approvals = new Map<string, string>();
  /** The calls that the person rejected: in older logs their results don't say so. */
  #rejected = new Set<string>();
  /** The row that the turn's last message of the model ended with, "" for none. */
  #said = "";
  /** The retry that older logs make in a turn of its own: its row, and the row of the failure that it undoes. */
  #deferred: { readonly retry: string; readonly failure: string } | undefined;
  /** The retry row of the turn before, while this turn is its attempt. */
  #carried = "";
  /** The model call being streamed: "<turn>.<step>", how many attempts it took, and whether this one is over. */
  #call = "";
  #attempt = 0;
  #finished = false;

  apply(items: readonly ViewedEvent[]): void {
    for (const item of items) {
      this.#now = item.event.seq;
      this.#event(item.event, item.view);
      this.#seq = item.event.seq;
    }
    if (items.length > 0) this.#snapshot = undefined;
  }

  /** The event that a row tells of: for a tool call its tool/call, else the first one that made the row. */
  eventOf(rowKey: string): number | undefined {
    return this.#events.get(rowKey);
  }

  /** The row that an event is told by: its own, or the first one after it. */
  rowOf(seq: number): string | undefined {
    let found: string | undefined;
    let nearest = Infinity;
    for (const { key } of this.#rows) {
      const own = this.#events.get(key) ?? -1;
      if (own < seq || own >= nearest) continue;
      nearest = own;
      found = key;
    }
    return found;
  }

  snapshot(): Transcript {
    this.#snapshot ??= {
      rows: this.#rows.slice(),
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
        this.#turn = integer(data["turn"]) ?? this.#turn + 1;
        this.#turnOpen = true;
        this.#turns++;
        this.#said = "";
        this.#retryTurn(text(object(data["trigger"])["kind"]) === "retry");
        this.#turnRow = this.#rows.length;
        return;
      case "step/start":
        this.#enterCall(data);
        return;
      case "user/message":
      case "steering/message":
        if (!isReplacement(event)) this.#user(event);
        return;
      case "assistant/chunk":
        this.#enterCall(data);
        this.#chunk(object(data["chunk"]));
        return;
      case "assistant/message":
        if (!isReplacement(event)) this.#assistant(event);
        return;
      case "llm/retry":
        this.#retry(event);
        return;
      case "llm/retry-started":
        this.#enterCall(data);
        this.#settleRetry("running");
        return;
      case "tool/call":
        this.#toolCall(event, view);
        return;
      case "tool/result":
        if (!isReplacement(event)) this.#toolResult(event, view);
        return;
      case "approval/asked":
        this.#approvals.set(text(data["id"]), text(data["callId"]));
        this.#wait(text(data["callId"]), "waiting", event.time);
        return;
      case "approval/decided":
        this.#decided(this.#approvals.get(text(data["id"])) ?? "", text(data["outcome"]), event.time);
        return;
      case "compaction/start":
        this.#put({ kind: "compaction", key: compactionKey(data), state: "running", summary: "", code: "", message: "" });
        return;
      case "compaction/summary":
        this.#compaction(data, (row) => ({ ...row, summary: contentText(data["summary"]) }));
        return;
      case "compaction/end":
        this.#compaction(data, (row) => ({ ...row, ...compactionEnd(object(data["error"])) }));
        return;
      case "turn/end":
        this.#turnEnd(event);
        return;
      case "session/title":
        this.#title = text(data["title"]);
        return;
      default:
        if (isForeign(event.type)) this.#put({ kind: "unknown", key: `event:${event.seq}`, type: event.type, data });
    }
  }

  #user(event: SessionEvent): void {
    const message = messageOf(event);
    const kind = sourceKind(message);
    const key = `message:${event.seq}`;
    if (kind !== "user") {
      const source = text(object(message["source"])["plugin"]) || kind;
      this.#put({ kind: "context", key, source, text: contentText(message["content"]) });
      return;
    }
    const rpcId = sourceRpcId(message);
    if (rpcId !== "") this.#rpcIds.add(rpcId);
    const attachments = list(message["content"]).filter((block) => text(object(block)["type"]) !== "text").length;
    this.#put({ kind: "user", key, text: contentText(message["content"]), attachments });
  }

  #enterCall(data: JsonObject): void {
    const call = `${integer(data["turn"]) ?? this.#turn}.${integer(data["step"]) ?? 0}`;
    if (call === this.#call) return;
    this.#call = call;
    this.#attempt = 0;
    this.#finished = false;
  }

  #blockKey(index: number): string {
    return `block:${this.#call}.${this.#attempt}.${index}`;
  }

  #chunk(chunk: JsonObject): void {
    const type = text(chunk["type"]);
    if (this.#finished && type !== "usage" && type !== "finish") this.#dropAttempt();
    const index = integer(chunk["index"]) ?? 0;
    switch (type) {
      case "text-delta":
        this.#grow("text", index, text(chunk["text"]));
        return;
      case "reasoning-delta":
        this.#grow("reasoning", index, text(chunk["text"]));
        return;
      case "tool-call-delta":
        this.#growCall(chunk);
        return;
      case "block-end":
        this.#settleBlock(index, object(chunk["block"]));
        return;
      case "finish":
        this.#finished = true;
        this.#settleStreaming();
        if (!this.#turnOpen) this.#stopTools(); // a fixture may hold nothing but chunks: no call of theirs will begin
        return;
    }
  }

  #grow(kind: TextRow["kind"], index: number, delta: string): void {
    const key = this.#blockKey(index);
    const row = this.#get(key);
    if (row?.kind === kind && !row.streaming) return; // its end was said
    const before = row?.kind === kind ? row.text : "";
    this.#put({ kind, key, text: before + delta, streaming: true });
  }

  #growCall(chunk: JsonObject): void {
    const id = text(chunk["id"]);
    const row = this.#tool(id);
    if (row.state !== "preparing") return;
    this.#put({ ...row, name: text(chunk["name"]) || row.name, arguments: row.arguments + text(chunk["argumentsDelta"]) });
  }

  #settleBlock(index: number, block: JsonObject): void {
    const type = text(block["type"]);
    if (type === "text" || type === "reasoning") {
      this.#put({ kind: type, key: this.#blockKey(index), text: text(block["text"]), streaming: false });
    } else if (type === "tool-call") {
      this.#settleCall(block);
    }
  }

  #settleCall(block: JsonObject): void {
    const row = this.#tool(text(block["id"]));
    this.#put({ ...row, name: text(block["name"]), arguments: text(block["arguments"]) });
  }

  /**
   * The assembled message is the truth about its step: its blocks replace what
   * the chunks said, matched by kind in order (a message may leave out a blank
   * or unfinished block that was streamed).
   */
  #assistant(event: SessionEvent): void {
    this.#enterCall(event.data);
    const prefix = `block:${this.#call}.${this.#attempt}.`;
    const streamed = this.#turnRows().filter((row) => row.key.startsWith(prefix));
    const content = messageOf(event)["content"];
    this.#said = "";
    list(content).forEach((value, position) => {
      const block = object(value);
      const type = text(block["type"]);
      if (type === "tool-call") this.#settleCall(block);
      if (type !== "text" && type !== "reasoning") return;
      const match = streamed.findIndex((row) => row.kind === type);
      const key = match < 0 ? `${prefix}m${position}` : streamed.splice(match, 1)[0]!.key;
      this.#put({ kind: type, key, text: text(block["text"]), streaming: false });
      if (type === "text") this.#said = key;
    });
    const last = this.#get(this.#said);
    if (last?.kind === "text") this.#put({ ...last, message: { seq: event.seq, text: contentText(content), ends: false } });
    this.#settleStreaming();
    this.#settleRetry("recovered");
    this.#carried = "";
    this.#finished = true;
  }

  #toolCall(event: SessionEvent, view: ToolView | undefined): void {
    const row = this.#tool(text(event.data["callId"]));
    this.#events.set(row.key, event.seq);
    this.#put({
      ...row,
      name: text(event.data["name"]),
      arguments: text(event.data["arguments"]),
      state: "running",
      callView: view?.view ?? row.callView,
      startedAt: event.time,
    });
  }

  /** A call begins to wait for leave, or has waited: how long the person thought is not its time. */
  #wait(callId: string, state: "waiting" | "running", time: number): void {
    const row = this.#get(`call:${callId}`);
    if (row?.kind === "tool" && (row.state === "running" || row.state === "waiting")) this.#put({ ...row, state, startedAt: time });
  }

  #decided(callId: string, outcome: string, time: number): void {
    if (outcome === "rejected") this.#rejected.add(callId);
    this.#wait(callId, "running", time);
  }

  #toolResult(event: SessionEvent, view: ToolView | undefined): void {
    const message = messageOf(event);
    const block = object(list(message["content"]).find((value) => text(object(value)["type"]) === "tool-result"));
    const nested = Object.keys(block).length > 0;
    const callId = text(object(message["source"])["callId"]) || text(block["toolCallId"]) || text(event.data["callId"]);
    const failed = (nested ? block["isError"] : event.data["isError"]) === true;
    const aborted = unrun.get(text(object(event.data["error"])["code"]));
    const row = this.#tool(callId);
    this.#put({
      ...row,
      state: aborted ?? (!failed ? "done" : this.#rejected.has(callId) ? "rejected" : "failed"),
      result: contentText(nested ? block["content"] : message["content"]),
      resultView: view?.view ?? row.resultView,
      endedAt: event.time,
    });
  }

  #turnEnd(event: SessionEvent): void {
    this.#turnOpen = false;
    this.#settleStreaming();
    this.#stopTools();
    const reason = object(event.data["reason"]);
    const key = `end:${event.seq}`;
    // A log of dsh's first days has nothing but an error's text.
    const kind = text(reason["kind"]) || ("error" in event.data ? "error" : "");
    const waits = this.#waitingRetry();
    this.#settleRetry(kind === "error" ? "exhausted" : kind === "completed" || kind === "max-tokens" ? "recovered" : "cancelled");
    if (kind === "error") {
      const failure = "error" in reason ? object(reason["error"]) : "failure" in reason ? object(reason["failure"]) : reason;
      this.#put({ kind: "failure", key, code: text(failure["code"]) || "UNKNOWN", message: text(failure["message"]), status: integer(failure["status"]) });
      if (waits !== "") this.#deferred = { retry: waits, failure: key };
    } else if (kind === "aborted" || kind === "disposed") {
      this.#put({ kind: "ending", key, ending: "stopped" });
    } else if (kind === "interrupted" || kind === "max-tokens" || kind === "blocked") {
      this.#put({ kind: "ending", key, ending: kind });
    }
    const last = this.#get(this.#said);
    if (kind === "completed" && last?.kind === "text" && last.message) this.#put({ ...last, message: { ...last.message, ends: true } });
  }

  /** A log from elsewhere may hold a summary without its start. */
  #compaction(data: JsonObject, change: (row: CompactionRow) => CompactionRow): void {
    const key = compactionKey(data);
    const row = this.#get(key);
    this.#put(change(row?.kind === "compaction" ? row : { kind: "compaction", key, state: "done", summary: "", code: "", message: "" }));
  }

  #settleStreaming(): void {
    for (const row of this.#turnRows()) {
      if ((row.kind === "text" || row.kind === "reasoning") && row.streaming) this.#put({ ...row, streaming: false });
    }
  }

  #stopTools(): void {
    for (const row of this.#turnRows()) {
      if (row.kind !== "tool") continue;
      if (row.state === "running") this.#put({ ...row, state: "stopped" });
      if (row.state === "preparing" || row.state === "waiting") this.#put({ ...row, state: "skipped" });
    }
  }

  #turnRows(): readonly Row[] {
    return this.#rows.slice(this.#turnRow);
  }

  #retry(event: SessionEvent): void {
    this.#enterCall(event.data);
    this.#dropAttempt();
    const failure = object(event.data["failure"]);
    const delayMs = integer(event.data["delayMs"]) ?? 0;
    this.#put({
      kind: "retry", key: this.#retryKey(), state: "waiting", retry: integer(event.data["retry"]) ?? 1, max: integer(event.data["maxRetries"]),
      code: text(failure["code"]) || "UNKNOWN", message: text(failure["message"]), delayMs, startsAt: event.time + delayMs,
    });
  }

  #retryKey(): string {
    return this.#carried || `retry:${this.#call}`;
  }

  /** The key of the step's retry that waits to begin, "" for none. */
  #waitingRetry(): string {
    const row = this.#get(this.#retryKey());
    return row?.kind === "retry" && row.state === "waiting" ? row.key : "";
  }

  /** Older logs end the failed turn, and retry in the next one: then that failure was not the end. */
  #retryTurn(retries: boolean): void {
    const deferred = this.#deferred;
    this.#deferred = undefined;
    this.#carried = retries && deferred ? deferred.retry : "";
    if (this.#carried === "") return;
    const row = this.#get(this.#carried);
    if (row?.kind === "retry") this.#put({ ...row, state: "running" });
    this.#keep((each) => each.key !== deferred?.failure);
  }

  /** What has become of the step's retry, if it has one. */
  #settleRetry(state: RetryRow["state"]): void {
    const row = this.#get(this.#retryKey());
    if (row?.kind === "retry" && (row.state === "waiting" || row.state === "running")) this.#put({ ...row, state });
  }

  /** Forgets what a failed attempt had streamed: the step is tried again. */
  #dropAttempt(): void {
    const prefix = `block:${this.#call}.${this.#attempt}.`;
    this.#keep((row) => !row.key.startsWith(prefix) && !(row.kind === "tool" && row.state === "preparing"));
    this.#attempt++;
    this.#finished = false;
  }

  #keep(wanted: (row: Row) => boolean): void {
    const kept = this.#rows.filter(wanted);
    if (kept.length === this.#rows.length) return;
    this.#rows = kept;
    this.#index = new Map(kept.map((row, position) => [row.key, position]));
  }

  #tool(callId: string): ToolRow {
    const key = `call:${callId}`;
    const row = this.#get(key);
    if (row?.kind === "tool") return row;
    return {
      kind: "tool", key, callId, name: "", arguments: "", state: "preparing", result: "",
      callView: undefined, resultView: undefined, startedAt: undefined, endedAt: undefined,
    };
  }

  #get(key: string): Row | undefined {
    const position = this.#index.get(key);
    return position === undefined ? undefined : this.#rows[position];
  }

  #put(row: Row): void {
    const position = this.#index.get(row.key);
    if (position === undefined) {
      if (!this.#events.has(row.key)) this.#events.set(row.key, this.#now);
      this.#index.set(row.key, this.#rows.length);
      this.#rows.push(row);
    } else {
      this.#rows[position] = row;
    }
  }
}

function compactionKey(data: JsonObject): string {
  return `compaction:${text(data["compactionId"])}`;
}

function compactionEnd(error: JsonObject): Pick<CompactionRow, "state" | "code" | "message"> {
  const code = text(error["code"]);
  const state = code === "" ? "done" : code === "ABORTED" ? "stopped" : code === "INTERRUPTED" ? "interrupted" : "failed";
  return { state, code, message: text(error["message"]) };
}
