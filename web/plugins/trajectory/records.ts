// Projects a session's log to the records of the trajectory: what was sent to a
// model, what it answered, and what ran, each with its times. A state machine
// without DOM: the same events give the same records, live or page by page.

import { contentText, integer, isForeign, isReplacement, list, messageOf, object, sourceKind, text, type JsonObject, type SessionEvent, type Usage, type ViewedEvent } from "keylane";
import type { Failure, RecordKind, TrajectoryRecord } from "./record";

/** Error codes of calls that were kept from running, or stopped while they did. */
const stopped: ReadonlySet<string> = new Set(["TOOL_ABORTED", "TOOL_ABORTED_BEFORE_DISPATCH", "APPROVAL_REJECTED", "READ_ONLY"]);

export class Records {
  #records: TrajectoryRecord[] = [];
  #places = new Map<number, number>();
  #turn = 0;
  #turnBegins = false;
  #step = 0;
  /** Seq of the answer that is being made. */
  #answer: number | undefined;
  /** A request is on its way that has no event of its own yet: its record begins with the first one, behind what went in. */
  #asked: { readonly event: SessionEvent; readonly start: number; readonly opens: boolean } | undefined;
  #seq = -1;
  #calls = new Map<string, number>();
  #approvals = new Map<string, { readonly call: string; readonly time: number }>();
  #compactions = new Map<string, number>();

  apply(items: readonly ViewedEvent[]): void {
    for (const { event } of items) {
      this.#event(event);
      this.#seq = event.seq;
    }
  }

  /** In the order of the log. A request without an answer yet is the last, known by the event that is to come. */
  list(): readonly TrajectoryRecord[] {
    const asked = this.#asked;
    if (!asked) return this.#records.slice();
    return this.#records.concat(this.#made(asked.event, "assistant", { seq: this.#seq + 1, start: asked.start, opens: asked.opens, state: "running" }));
  }

  #event(event: SessionEvent): void {
    const data = event.data;
    switch (event.type) {
      case "turn/start":
        this.#turn = integer(data["turn"]) ?? this.#turn + 1;
        this.#turnBegins = true;
        return;
      case "turn/end":
        this.#turnEnd(event);
        return;
      case "step/start":
        this.#step = integer(data["step"]) ?? this.#step + 1;
        this.#asked = { event, start: event.time, opens: true };
        return;
      case "step/end":
        if (this.#asked?.opens) this.#put({ ...this.#answered(event), state: "stopped", end: event.time });
        this.#asked = undefined;
        this.#step = 0;
        return;
      case "request/header": {
        const header = object(data["header"]);
        this.#add(event, "system", { name: text(data["reason"]), text: text(header["system"]) });
        return;
      }
      case "user/message":
      case "steering/message":
        if (!isReplacement(event)) this.#message(event);
        return;
      case "assistant/chunk":
        this.#chunk(event, object(data["chunk"]));
        return;
      case "assistant/message":
        if (!isReplacement(event)) this.#assistant(event);
        return;
      case "llm/retry":
        this.#retry(event);
        return;
      case "llm/retry-started":
        this.#asked = { event, start: event.time, opens: this.#asked?.opens ?? false };
        return;
      case "tool/call":
        this.#calls.set(text(data["callId"]), event.seq);
        this.#add(event, "tool", { name: text(data["name"]), text: text(data["arguments"]), state: "running" });
        return;
      case "tool/result":
        if (!isReplacement(event)) this.#result(event);
        return;
      case "approval/asked":
        this.#approvals.set(text(data["id"]), { call: text(data["callId"]), time: event.time });
        return;
      case "approval/decided":
        this.#decided(event);
        return;
      case "compaction/start":
      case "compact/start": // as dsh called it first
        this.#compactions.set(text(data["compactionId"]), event.seq);
        this.#add(event, "compaction", { state: "running" });
        return;
      case "compaction/summary":
      case "compact/summary":
        this.#compaction(event, { text: text(data["summary"]) || contentText(data["summary"]), usage: usageOf(data), outcome: event, name: text(data["model"]) });
        return;
      case "compaction/end":
      case "compact/end":
        this.#compaction(event, ended(event));
        return;
      default:
        if (isForeign(event.type)) this.#add(event, "unknown", { name: event.type, text: JSON.stringify(data) });
    }
  }

  #message(event: SessionEvent): void {
    const message = messageOf(event);
    const kind = sourceKind(message);
    const name = kind === "user" ? "" : text(object(message["source"])["plugin"]) || kind;
    this.#add(event, kind === "user" ? "user" : "context", { name, text: contentText(message["content"]) });
  }

  /** The answer that is being made. It begins now, unless it has; a log from elsewhere may hold one without its step. */
  #answered(event: SessionEvent): TrajectoryRecord {
    const known = this.#at(this.#answer);
    if (known) return known;
    const { event: request, start, opens } = this.#asked ?? { event, start: event.time, opens: true };
    this.#asked = undefined;
    this.#answer = event.seq;
    return this.#add(request, "assistant", { seq: event.seq, start, opens, state: "running" });
  }

  #chunk(event: SessionEvent, chunk: JsonObject): void {
    const record = this.#answered(event);
    const type = text(chunk["type"]);
    if (type === "text-delta" || type === "reasoning-delta" || type === "tool-call-delta") {
      const said = type === "text-delta" ? record.text + text(chunk["text"]) : record.text;
      if (record.first === undefined || said !== record.text) this.#put({ ...record, first: record.first ?? event.time, text: said });
    } else if (type === "usage") {
      this.#put({ ...record, usage: usageOf(chunk) ?? record.usage });
    } else if (type === "finish") {
      const reason = object(chunk["reason"]);
      const failure = object(reason["failure"]);
      const failed = text(reason["kind"]) === "error";
      this.#put({
        ...record, end: event.time, outcome: event,
        state: failed ? "failed" : text(reason["kind"]) === "aborted" ? "stopped" : record.state,
        failure: failed ? failureOf(failure) : record.failure,
      });
    }
  }

  #assistant(event: SessionEvent): void {
    const message = messageOf(event);
    const record = this.#answered(event);
    const source = object(message["source"] ?? event.data["provenance"]);
    const calls = list(message["content"]).map(object).filter((block) => text(block["type"]) === "tool-call").map((block) => text(block["name"]));
    this.#put({
      ...record,
      name: text(source["model"]),
      text: contentText(message["content"]) || calls.map((name) => `→ ${name}`).join("  "),
      state: event.data["interrupted"] === true ? "stopped" : "done",
      usage: usageOf(event.data) ?? record.usage,
      end: record.end ?? event.time,
      outcome: event,
    });
    this.#answer = undefined;
  }

  #retry(event: SessionEvent): void {
    const data = event.data;
    const failure = failureOf(object(data["failure"]));
    const record = this.#at(this.#answer);
    if (record?.state === "running") this.#put({ ...record, state: "failed", failure, end: record.end ?? event.time, outcome: record.outcome ?? event });
    this.#answer = undefined;
    this.#add(event, "retry", {
      name: String(integer(data["retry"]) ?? 1), text: failure.message, failure,
      end: event.time + (integer(data["delayMs"]) ?? 0),
    });
  }

  #result(event: SessionEvent): void {
    const message = messageOf(event);
    const block = object(list(message["content"]).find((value) => text(object(value)["type"]) === "tool-result"));
    const nested = Object.keys(block).length > 0;
    const callId = text(object(message["source"])["callId"]) || text(block["toolCallId"]) || text(event.data["callId"]);
    const record = this.#at(this.#calls.get(callId));
    if (!record) return;
    const code = text(object(event.data["error"])["code"]);
    const failed = (nested ? block["isError"] : event.data["isError"]) === true;
    this.#put({
      ...record, end: event.time, outcome: event,
      state: stopped.has(code) ? "stopped" : failed ? "failed" : "done",
      failure: failed ? { code, message: contentText(nested ? block["content"] : message["content"]) } : undefined,
    });
  }

  #decided(event: SessionEvent): void {
    const asked = this.#approvals.get(text(event.data["id"]));
    const record = asked && this.#at(this.#calls.get(asked.call));
    if (record) this.#put({ ...record, waited: record.waited + Math.max(0, event.time - asked.time) });
  }

  #compaction(event: SessionEvent, change: Partial<TrajectoryRecord>): void {
    const id = text(event.data["compactionId"]);
    if (this.#compactions.get(id) === undefined) {
      this.#compactions.set(id, event.seq);
      this.#add(event, "compaction", { state: "done" });
    }
    const record = this.#at(this.#compactions.get(id));
    if (record) this.#put({ ...record, ...change });
  }

  #turnEnd(event: SessionEvent): void {
    const reason = object(event.data["reason"]);
    const kind = text(reason["kind"]);
    const failed = kind === "error";
    for (const record of this.#records.slice(-unsettled)) {
      if (record.state !== "running" || record.turn !== this.#turn) continue;
      this.#put({ ...record, state: failed && record.kind === "assistant" ? "failed" : "stopped", end: record.end ?? event.time });
    }
    if (kind !== "completed") {
      const failure = failed ? failureOf("error" in reason ? object(reason["error"]) : "failure" in reason ? object(reason["failure"]) : reason) : undefined;
      this.#add(event, "ending", { name: kind, text: failure?.message ?? "", failure, state: failed ? "failed" : "stopped" });
    }
    this.#turn = 0;
    this.#step = 0;
    this.#answer = undefined;
    this.#asked = undefined;
  }

  #add(event: SessionEvent, kind: RecordKind, more: Partial<TrajectoryRecord>): TrajectoryRecord {
    const record = this.#made(event, kind, more);
    this.#places.set(record.seq, this.#records.length);
    this.#records.push(record);
    this.#turnBegins = false;
    // What goes in makes a request that is on its way one that goes out later.
    if (this.#asked && kind !== "assistant") this.#asked = { ...this.#asked, start: Math.max(this.#asked.start, event.time) };
    return record;
  }

  #made(event: SessionEvent, kind: RecordKind, more: Partial<TrajectoryRecord>): TrajectoryRecord {
    return {
      seq: event.seq, kind, turn: this.#turn, step: this.#step, turnStart: this.#turnBegins, name: "", text: "", state: "done", failure: undefined,
      start: event.time, first: undefined, end: undefined, waited: 0, usage: undefined, opens: false, event, outcome: undefined, ...more,
    };
  }

  #at(seq: number | undefined): TrajectoryRecord | undefined {
    const place = seq === undefined ? undefined : this.#places.get(seq);
    return place === undefined ? undefined : this.#records[place];
  }

  #put(record: TrajectoryRecord): void {
    this.#records[this.#places.get(record.seq)!] = record;
  }
}

/** No turn has more records than this that wait for their end when it ends: calls of one step run side by side. */
const unsettled = 256;

function failureOf(failure: JsonObject): Failure {
  return { code: text(failure["code"]) || "UNKNOWN", message: text(failure["message"]) };
}

function ended(event: SessionEvent): Partial<TrajectoryRecord> {
  const error = object(event.data["error"]);
  const code = text(error["code"]);
  if (code === "") return { state: "done", end: event.time };
  const halted = code === "ABORTED" || code === "INTERRUPTED";
  return { state: halted ? "stopped" : "failed", end: event.time, failure: halted ? undefined : failureOf(error) };
}

function usageOf(data: JsonObject): Usage | undefined {
  const usage = object(data["usage"]);
  return integer(usage["inputTokens"]) === undefined ? undefined : (usage as unknown as Usage);
}
