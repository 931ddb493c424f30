import type { JsonObject, ViewedEvent } from "keylane";
import { check, property, test } from "../../testing/testing";
import type { Random } from "../../testing/random";
import { headerOf, recordOf, requestNumbers } from "./record";
import { Records } from "./records";

type Said = readonly [type: string, data: JsonObject, time?: number];

function events(said: readonly Said[], from = 0): readonly ViewedEvent[] {
  return said.map(([type, data, time], index) => ({ event: { type, seq: from + index, time: time ?? from + index, data } }));
}

function recordsOf(said: readonly Said[]) {
  const records = new Records();
  records.apply(events(said));
  return records.list();
}

const delta: JsonObject = { chunk: { type: "text-delta", index: 0, text: "Hi" } };
const user: JsonObject = { id: "u", role: "user", content: [{ type: "text", text: "Go." }], source: { kind: "user" } };
const answer: JsonObject = { message: { content: [{ type: "text", text: "Hi there" }], source: { kind: "model", model: "m" } }, usage: { inputTokens: 3, outputTokens: 2 } };

test("a request stands behind what went into it, begins when that was there, and is known by its first chunk", () => {
  const [first, second] = recordsOf([["turn/start", { turn: 1 }], ["step/start", { step: 1 }], ["user/message", user, 10], ["assistant/chunk", delta, 40], ["assistant/message", answer, 60]]);
  check.equal([first?.kind, first?.turnStart, second?.kind, second?.seq], ["user", true, "assistant", 3], "records");
  check.equal([second?.start, second?.first, second?.end, second?.text], [10, 40, 60, "Hi there"], "its times and text");
});

test("a request that has no answer yet is there already, under the seq that its first chunk will have", () => {
  const waiting = recordsOf([["turn/start", { turn: 1 }], ["step/start", { step: 1 }], ["user/message", user]]).at(-1);
  check.equal([waiting?.kind, waiting?.state, waiting?.seq], ["assistant", "running", 3], "the request");
});

test("each attempt of a step is a record of its own, and the retry stands between them", () => {
  const failure = { code: "SERVER", message: "503" };
  const found = recordsOf([
    ["turn/start", { turn: 1 }], ["step/start", { step: 1 }], ["assistant/chunk", delta], ["assistant/chunk", { chunk: { type: "finish", reason: { kind: "error", failure } } }],
    ["llm/retry", { retry: 1, delayMs: 500, failure }], ["llm/retry-started", { retry: 1 }], ["assistant/chunk", delta], ["assistant/message", answer],
  ]);
  check.equal(found.map(({ kind, state, opens }) => [kind, state, opens]), [["assistant", "failed", true], ["retry", "done", false], ["assistant", "done", false]], "records");
  check.equal([...requestNumbers(found, 7)], [[2, 7], [6, 7]], "numbers");
});

test("a result goes to the call that it names, also when calls run side by side", () => {
  const result = (id: string): JsonObject => ({ message: { content: [{ type: "tool-result", toolCallId: id, content: [{ type: "text", text: id }] }], source: { kind: "tool", callId: id } } });
  const found = recordsOf([["tool/call", { callId: "a", name: "bash" }], ["tool/call", { callId: "b", name: "read" }], ["tool/result", result("b"), 9], ["tool/result", result("a"), 30]]);
  check.equal(found.map(({ name, end, state }) => [name, end, state]), [["bash", 30, "done"], ["read", 9, "done"]], "calls");
});

test("what runs when its turn ends has stopped", () => {
  const found = recordsOf([["turn/start", { turn: 1 }], ["step/start", { step: 1 }], ["assistant/chunk", delta], ["tool/call", { callId: "a", name: "bash" }], ["step/end", {}], ["turn/end", { reason: { kind: "aborted" } }]]);
  check.equal(found.map(({ kind, state }) => [kind, state]), [["assistant", "stopped"], ["tool", "stopped"], ["ending", "stopped"]], "records");
});

test("an event that nobody here knows is a record, and the host's own books are none", () => {
  check.equal(recordsOf([["plan/mode", { active: true }], ["session/title", {}], ["request/context", {}], ["todo/write", {}]]).map((record) => record.name), ["plan/mode"], "records");
});

test("the header in force is the last one before a record", () => {
  const found = recordsOf([["request/header", { reason: "initial" }], ["tool/call", { callId: "a" }], ["request/header", { reason: "change" }], ["tool/call", { callId: "b" }]]);
  check.equal(found.filter((each) => each.kind === "tool").map((each) => headerOf(found, each)?.name), ["initial", "change"], "headers");
});

/** A log of whole turns, of everything that a log has. */
function log(random: Random, turns: number): readonly Said[] {
  const said: Said[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    said.push(["turn/start", { turn }]);
    for (let step = 1; step <= 1 + random.integer(0, 2); step++) {
      said.push(["step/start", { turn, step }]);
      if (step === 1) said.push(["user/message", user]);
      for (let chunk = random.integer(0, 3); chunk > 0; chunk--) said.push(["assistant/chunk", delta]);
      if (random.integer(0, 2) > 0) said.push(["assistant/message", answer]);
      if (random.integer(0, 1) > 0) said.push(["tool/call", { callId: `${turn}.${step}`, name: "bash" }], ["tool/result", { message: { source: { kind: "tool", callId: `${turn}.${step}` } } }]);
      said.push(["step/end", { turn, step }]);
    }
    said.push(["turn/end", { turn, reason: { kind: random.integer(0, 3) > 0 ? "completed" : "aborted" } }]);
    if (random.integer(0, 3) === 0) said.push(["plan/mode", {}]);
  }
  return said;
}

property("pages of whole turns, and events one at a time, come to the same records as the log at once", 100, (random) => {
  const said = log(random, 4);
  const whole = recordsOf(said);
  const starts = said.flatMap(([type], index) => (type === "turn/start" ? [index] : []));
  const cut = starts[1 + random.integer(0, 2)]!;
  const older = new Records();
  older.apply(events(said.slice(0, cut)));
  const newer = new Records();
  for (const event of events(said.slice(cut), cut)) newer.apply([event]);
  check.equal(older.list().concat(newer.list()), whole, "records");
  const total = said.filter(([type]) => type === "step/start").length;
  const numbers = requestNumbers(whole, total);
  check.equal([...requestNumbers(newer.list(), total)], [...numbers].filter(([seq]) => seq >= cut), "numbers before the older page came");
});

property("every event belongs to the last record that began before it, and each record to itself", 50, (random) => {
  const found = recordsOf(log(random, 3));
  for (const record of found) check.equal(recordOf(found, record.seq)?.seq, record.seq, "a record");
  check.equal(found.map((record) => record.seq), found.map((record) => record.seq).toSorted((a, b) => a - b), "order");
});
