import { check, test } from "../testing/testing";
import type { JsonObject, ViewedEvent } from "../wire/types";
import { TranscriptProjection } from "./transcript";

function rowsOf(...events: readonly (readonly [type: string, data: JsonObject])[]) {
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
