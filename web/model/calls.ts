// The rows of tool calls: prepared while the model writes them, run, waiting
// for leave, done.

import type { JsonObject, SessionEvent, ToolView } from "../wire/types";
import { contentText, list, messageOf, object, text } from "./events";
import type { ToolRow, ToolState } from "./rows";
import type { RowTable } from "./rowtable";

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

export class CallRows {
  /** The calls that approvals are about, by the approvals' ids. */
  #approvals = new Map<string, string>();
  /** The calls that the person rejected: in older logs their results don't say so. */
  #rejected = new Set<string>();

  constructor(readonly table: RowTable) {}

  /** The model writes a call. */
  grow(chunk: JsonObject): void {
    const row = this.#row(text(chunk["id"]));
    if (row.state !== "preparing") return;
    this.table.put({ ...row, name: text(chunk["name"]) || row.name, arguments: row.arguments + text(chunk["argumentsDelta"]) });
  }

  /** The model has written a call. */
  settle(block: JsonObject): void {
    const row = this.#row(text(block["id"]));
    this.table.put({ ...row, name: text(block["name"]), arguments: text(block["arguments"]) });
  }

  begin(event: SessionEvent, view: ToolView | undefined): void {
    const row = this.#row(text(event.data["callId"]));
    this.table.tells(row.key, event.seq);
    this.table.put({
      ...row,
      name: text(event.data["name"]),
      arguments: text(event.data["arguments"]),
      state: "running",
      callView: view?.view ?? row.callView,
      startedAt: event.time,
    });
  }

  asked(data: JsonObject, time: number): void {
    this.#approvals.set(text(data["id"]), text(data["callId"]));
    this.#wait(text(data["callId"]), "waiting", time);
  }

  decided(data: JsonObject, time: number): void {
    const callId = this.#approvals.get(text(data["id"])) ?? "";
    if (text(data["outcome"]) === "rejected") this.#rejected.add(callId);
    this.#wait(callId, "running", time);
  }

  /** A call begins to wait for leave, or has waited: how long the person thought is not its time. */
  #wait(callId: string, state: "waiting" | "running", time: number): void {
    const row = this.table.get(`call:${callId}`);
    if (row?.kind === "tool" && (row.state === "running" || row.state === "waiting")) this.table.put({ ...row, state, startedAt: time });
  }

  result(event: SessionEvent, view: ToolView | undefined): void {
    const message = messageOf(event);
    const block = object(list(message["content"]).find((value) => text(object(value)["type"]) === "tool-result"));
    const nested = Object.keys(block).length > 0;
    const callId = text(object(message["source"])["callId"]) || text(block["toolCallId"]) || text(event.data["callId"]);
    const failed = (nested ? block["isError"] : event.data["isError"]) === true;
    const aborted = unrun.get(text(object(event.data["error"])["code"]));
    const row = this.#row(callId);
    this.table.put({
      ...row,
      state: aborted ?? (!failed ? "done" : this.#rejected.has(callId) ? "rejected" : "failed"),
      result: contentText(nested ? block["content"] : message["content"]),
      resultView: view?.view ?? row.resultView,
      endedAt: event.time,
    });
  }

  /** The turn is over: no call of it begins or goes on. */
  stop(): void {
    for (const row of this.table.ofTurn()) {
      if (row.kind !== "tool") continue;
      if (row.state === "running") this.table.put({ ...row, state: "stopped" });
      if (row.state === "preparing" || row.state === "waiting") this.table.put({ ...row, state: "skipped" });
    }
  }

  #row(callId: string): ToolRow {
    const key = `call:${callId}`;
    const row = this.table.get(key);
    if (row?.kind === "tool") return row;
    return {
      kind: "tool", key, callId, name: "", arguments: "", state: "preparing", result: "",
      callView: undefined, resultView: undefined, startedAt: undefined, endedAt: undefined,
    };
  }
}
