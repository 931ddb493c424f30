import { check, test } from "../testing/testing";
import type { JsonObject, ViewedEvent } from "../wire/types";
import { TranscriptProjection } from "./transcript";

type Written = readonly [type: string, data: JsonObject];

function rowsOf(...events: readonly Written[]) {
  const projection = new TranscriptProjection();
  projection.apply(events.map(([type, data], seq): ViewedEvent => ({ event: { type, seq, time: seq, data } })));
  return projection.snapshot().rows;
}

test("an event of a type that nobody here knows becomes a row that names it", () => {
  check.equal(rowsOf(["turn/start", { turn: 1 }], ["plan/mode", { active: true }]), [{ kind: "unknown", key: "event:1", type: "plan/mode", data: { active: true } }], "rows");
});

test("the host's own books make no rows", () => {
  check.equal(rowsOf(["session/end-seed", {}], ["request/header", {}], ["request/context", {}], ["agent/inbox/spliced", {}], ["todo/write", { todos: [] }], ["step/end", {}]), [], "rows");
});

test("a type that is named like something every object has is no row of it", () => {
  check.equal(rowsOf(["constructor", {}]).map((row) => row.kind), ["unknown"], "kinds");
});

const person: JsonObject = { kind: "user" };
const said = (text: string): JsonObject => ({ content: [{ type: "text", text }] });
const asked = (text: string) => ["user/message", { ...said(text), source: person }] as const;
const answered = (turn: number, step: number, text: string) => ["assistant/message", { turn, step, message: said(text) }] as const;
const ends = (turn: number, kind: string) => ["turn/end", { turn, reason: { kind } }] as const;

test("a conversation goes on only from the last message of a turn that completed", () => {
  const rows = rowsOf(
    ["turn/start", { turn: 1 }], asked("a"), answered(1, 1, "first"), answered(1, 2, "last"), ends(1, "completed"),
    ["turn/start", { turn: 2 }], asked("b"), answered(2, 1, "cut"), ends(2, "aborted"),
  );
  check.equal(
    rows.flatMap((row) => (row.kind === "text" && row.message ? [[row.message.text, row.message.seq, row.message.ends]] : [])),
    [["first", 2, false], ["last", 3, true], ["cut", 7, false]],
    "messages",
  );
});

test("a message of several texts is acted on once, as a whole, at its last", () => {
  const message: JsonObject = { content: [{ type: "text", text: "one" }, { type: "reasoning", text: "hm" }, { type: "text", text: "two" }] };
  const rows = rowsOf(["turn/start", { turn: 1 }], ["assistant/message", { turn: 1, step: 1, message }], ends(1, "completed"));
  check.equal(rows.map((row) => (row.kind === "text" ? row.message?.text : row.kind)), [undefined, "reasoning", "one\n\ntwo"], "rows");
});

test("a turn that ends with a message without text has none to go on from", () => {
  const call: JsonObject = { content: [{ type: "tool-call", id: "c", name: "bash", arguments: "{}" }] };
  const rows = rowsOf(["turn/start", { turn: 1 }], answered(1, 1, "before"), ["assistant/message", { turn: 1, step: 2, message: call }], ends(1, "completed"));
  check.equal(rows.flatMap((row) => (row.kind === "text" ? [row.message?.ends] : [])), [false], "ends");
});

const result = (callId: string, code: string): Written => [
  "tool/result", { message: { ...said("Error"), source: { kind: "tool", callId }, content: [{ type: "tool-result", toolCallId: callId, isError: true, content: [] }] }, ...(code && { error: { code } }) },
];

test("why a call came to nothing is told by its code, or by the decision about it", () => {
  const states = rowsOf(
    ["turn/start", { turn: 1 }],
    ["tool/call", { callId: "a" }], result("a", "ABORTED"),
    ["tool/call", { callId: "b" }], result("b", "ABORTED_BEFORE_DISPATCH"),
    ["tool/call", { callId: "e" }], result("e", "TOOL_OUTCOME_UNKNOWN"), result("f", "TOOL_NOT_STARTED"),
    ["tool/call", { callId: "c" }], ["approval/asked", { id: "1", callId: "c" }], ["approval/decided", { id: "1", outcome: "rejected" }], result("c", ""),
    ["tool/call", { callId: "d" }], result("d", ""),
  ).map((row) => (row.kind === "tool" ? row.state : row.kind));
  check.equal(states, ["stopped", "skipped", "unknown", "skipped", "rejected", "failed"], "states");
});

test("a call that only chunks tell of, outside of any turn, was not run", () => {
  const rows = rowsOf(
    ["assistant/chunk", { turn: 1, step: 1, chunk: { type: "tool-call-delta", index: 0, id: "c", name: "bash", argumentsDelta: "{}" } }],
    ["assistant/chunk", { turn: 1, step: 1, chunk: { type: "finish", reason: { kind: "tool-calls" } } }],
  );
  check.equal(rows.map((row) => (row.kind === "tool" ? row.state : row.kind)), ["skipped"], "states");
});

test("a turn that ended with nothing but an error's text has failed", () => {
  check.equal(rowsOf(["turn/start", { turn: 1 }], ["turn/end", { error: "model exploded" }]).map((row) => row.kind), ["failure"], "kinds");
});

test("a retry that has a turn of its own is the one row that its failures were, however often they are", () => {
  const retry = (turn: number, number: number) => ["llm/retry", { turn, step: 1, retry: number, maxRetries: 2, delayMs: 1, failure: { code: "SERVER" } }] as const;
  const failed = (turn: number) => ["turn/end", { turn, reason: { kind: "error", failure: { code: "SERVER" } } }] as const;
  const again = (turn: number) => ["turn/start", { turn, trigger: { kind: "retry" } }] as const;
  const kinds = (...events: readonly Written[]) => rowsOf(["turn/start", { turn: 1 }], asked("a"), retry(1, 1), failed(1), ...events)
    .map((row) => (row.kind === "retry" ? `${row.retry} ${row.state}` : row.kind));
  check.equal(kinds(), ["user", "1 exhausted", "failure"], "not retried");
  check.equal(kinds(again(2)), ["user", "1 running"], "being retried");
  check.equal(kinds(again(2), answered(2, 1, "b"), ends(2, "completed")), ["user", "1 recovered", "text"], "recovered");
  check.equal(kinds(again(2), retry(2, 2), failed(2), again(3), answered(3, 1, "b"), ends(3, "completed")), ["user", "2 recovered", "text"], "recovered at last");
  check.equal(kinds(again(2), retry(2, 2), failed(2), again(3), failed(3)), ["user", "2 exhausted", "failure"], "exhausted");
  check.equal(kinds(["turn/start", { turn: 2 }], asked("c")), ["user", "1 exhausted", "failure", "user"], "another prompt");
});

test("a compaction is one row, also as dsh's older logs tell of it", () => {
  const summary = [{ type: "text", text: "What was." }];
  for (const family of ["compaction", "compact"]) {
    check.equal(
      rowsOf([`${family}/start`, { compactionId: "c" }], [`${family}/summary`, { compactionId: "c", summary }], [`${family}/end`, { compactionId: "c" }]),
      [{ kind: "compaction", key: "compaction:c", state: "done", summary: "What was.", code: "", message: "" }], family,
    );
    check.equal(
      rowsOf([`${family}/start`, {}], [`${family}/summary`, { summary: "What was." }], [`${family}/end`, { error: { code: "X" } }], [`${family}/start`, {}]).map((row) => row.key),
      ["compaction:@0", "compaction:@3"], `${family} without ids`,
    );
  }
});
