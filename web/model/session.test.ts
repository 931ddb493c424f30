import { check, property, test } from "../testing/testing";
import type { Random } from "../testing/random";
import type { Rpc } from "../wire/rpc";
import type { HistoryPage, Mode, ViewedEvent } from "../wire/types";
import { OpenSession } from "./session";
import { TranscriptProjection } from "./transcript";

const item = (seq: number, type: string, data: ViewedEvent["event"]["data"] = {}): ViewedEvent => ({ event: { type, seq, time: seq, data } });

/** A log of turns, each with an answer that is streamed. */
function logOf(random: Random, turns: number, word = "w"): ViewedEvent[] {
  const log: ViewedEvent[] = [];
  const say = (type: string, data: ViewedEvent["event"]["data"] = {}) => log.push(item(log.length, type, data));
  for (let turn = 1; turn <= turns; turn++) {
    say("turn/start", { turn });
    say("step/start", { turn, step: 1 });
    say("user/message", { content: [{ type: "text", text: `ask ${turn}` }], source: { kind: "user", rpcId: `r${turn}` } });
    if (random.chance(0.3)) say("approval/policy", { policy: random.pick(["ask", "read-only", "full"]) });
    if (random.chance(0.3)) say("todo/write", { todos: [{ content: `todo ${word} ${log.length}`, status: "pending" }] });
    let text = "";
    for (let count = random.integer(1, 4); count > 0; count--) {
      text += `${word}${log.length} `;
      say("assistant/chunk", { turn, step: 1, chunk: { type: "text-delta", index: 0, text: `${word}${log.length} ` } });
    }
    say("assistant/message", { turn, step: 1, message: { content: [{ type: "text", text }] }, usage: { inputTokens: 1, outputTokens: 1 } });
    say("turn/end", { turn, reason: { kind: "completed" } });
  }
  return log;
}

/** What a host says that has this much of a log. */
function pageOf(log: readonly ViewedEvent[], first = 0): HistoryPage {
  const last = <T>(type: string, read: (event: ViewedEvent) => T, otherwise: T): T => log.filter((each) => each.event.type === type).map(read).at(-1) ?? otherwise;
  const turns = log.filter((each) => each.event.type === "turn/start").length;
  return {
    events: log.slice(first),
    hasMore: first > 0,
    projections: {
      asOfSeq: log.length - 1,
      values: {
        title: "", turns, steps: log.filter((each) => each.event.type === "step/start").length,
        running: turns > log.filter((each) => each.event.type === "turn/end").length,
        model: { provider: "p", model: "m" }, queue: [],
        todos: last("todo/write", (each) => each.event.data["todos"] as never, []),
        mode: last<Mode>("approval/policy", (each) => each.event.data["policy"] as Mode, "ask"),
        usage: { inputTokens: log.filter((each) => each.event.type === "assistant/message").length, outputTokens: log.filter((each) => each.event.type === "assistant/message").length },
        context: { used: 0, window: 0 },
      },
    },
  };
}

/** A host whose answers come when the test says so. */
class Host {
  readonly calls: { readonly payload: { readonly beforeSeq?: number }; answer(page: HistoryPage): void; fail(): void }[] = [];
  readonly rpc: Rpc = {
    call: (_: string, payload: { readonly beforeSeq?: number }) =>
      new Promise((answer, reject) => this.calls.push({ payload, answer, fail: () => reject(new Error("lost")) })),
  } as unknown as Rpc;
  session = new OpenSession("s", this.rpc);

  async answer(page: HistoryPage): Promise<void> {
    this.calls.shift()!.answer(page);
    await settle();
  }
}

/** Lets everything happen that an answer brings about: nothing here waits for more than promises. */
const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 50; turns++) await undefined;
};

/** Everything that a person can see of a session. */
function seen(session: OpenSession) {
  const { rows, seq } = session.transcript.value;
  const { turns, steps, usage } = session.stats.value;
  return {
    rows, seq, turns, steps, input: usage.inputTokens, mode: session.mode.value, todos: session.todos.value, live: session.turnLive.value,
    window: session.window.value.events.map((each) => each.event.seq),
  };
}

/** What it is when it is read in one piece. */
async function read(log: readonly ViewedEvent[]): Promise<ReturnType<typeof seen>> {
  const host = new Host();
  void host.session.refresh();
  await host.answer(pageOf(log));
  return seen(host.session);
}

/** Opens a session of a log, as far as it is now. */
async function opened(log: readonly ViewedEvent[], first = 0): Promise<Host> {
  const host = new Host();
  void host.session.refresh();
  await host.answer(pageOf(log, first));
  return host;
}

/** Answers every call that is open or follows, with the whole log. A session that asks for ever fails. */
async function answerAll(host: Host, log: readonly ViewedEvent[]): Promise<void> {
  for (let answered = 0; host.calls.length > 0; answered++) {
    if (answered > 10) return check(false, "the session asks for ever");
    await host.answer(pageOf(log));
  }
}

property("frames that come late, twice, in any order or not at all, beside answers that are old, end with the log", 150, async (random) => {
  const log = logOf(random, random.integer(1, 3));
  const known = random.integer(0, log.length - 1);
  const host = new Host();
  void host.session.refresh();
  // The host answers at one moment and the answer comes at another; frames come in between, and there are some of the past.
  let at = known;
  let answer: HistoryPage | undefined;
  const frames = log.slice(0, -1).filter((each) => each.event.seq >= known - 2 && !random.chance(0.1));
  const order = random.chance(0.5) ? frames : [...frames].sort((a, b) => a.event.seq - b.event.seq + random.integer(-2, 2));
  for (const frame of [...order, log.at(-1)!]) {
    at = Math.max(at, frame.event.seq + 1);
    if (host.calls.length > 0 && answer === undefined && random.chance(0.3)) answer = pageOf(log.slice(0, at));
    host.session.receive(frame);
    if (random.chance(0.2)) host.session.receive(frame);
    if (answer && random.chance(0.3)) {
      await host.answer(answer);
      answer = undefined;
    }
  }
  if (answer) await host.answer(answer);
  await answerAll(host, log);
  check.equal(seen(host.session), { ...(await read(log)) }, "session");
});

property("a log in pieces of any size makes the same rows as in one", 100, (random) => {
  const log = logOf(random, 3);
  const whole = new TranscriptProjection();
  whole.apply(log);
  const pieces = new TranscriptProjection();
  for (let at = 0; at < log.length; ) {
    const size = random.integer(1, 6);
    pieces.apply(log.slice(at, at + size));
    pieces.snapshot();
    at += size;
  }
  check.equal(pieces.snapshot(), whole.snapshot(), "transcript");
});

test("an answer that is older than a lost frame is asked for once more", async () => {
  const host = await opened([item(0, "turn/start")]);
  void host.session.refresh();
  host.session.receive(item(3, "step/end")); // 1 and 2 are lost; the answer is from before them
  await host.answer(pageOf([item(0, "turn/start")]));
  check.equal(host.calls.length, 1, "calls");
  await host.answer(pageOf([item(0, "turn/start"), item(1, "step/start"), item(2, "step/end"), item(3, "step/end")]));
  check.equal(seen(host.session).window, [0, 1, 2, 3], "window");
  check.equal(host.calls.length, 0, "calls at the end");
});

test("what the host said before it was restarted is not taken for what its next run says", async () => {
  const before = [item(0, "turn/start"), item(1, "todo/write", { todos: [{ content: "lost", status: "pending" }] }), item(2, "step/start")];
  const host = await opened(before);
  void host.session.refresh();
  host.session.restarted();
  void host.session.refresh();
  await host.answer(pageOf(before)); // on its way since before
  await host.answer(pageOf([item(0, "turn/start"), item(1, "turn/end")]));
  check.equal(host.session.window.value.events.map((each) => each.event.type), ["turn/start", "turn/end"], "types");
  check.equal(host.session.todos.value, [], "todos");
  check.equal(host.calls.length, 0, "calls");
});

test("a session that was being opened when the host was restarted is opened by the next run", async () => {
  const host = new Host();
  void host.session.refresh();
  host.session.restarted();
  await host.answer(pageOf([item(0, "turn/start"), item(1, "step/start")]));
  await host.answer(pageOf([item(0, "turn/start"), item(1, "turn/end")]));
  check.equal(host.session.window.value.events.map((each) => each.event.type), ["turn/start", "turn/end"], "types");
  check.equal(host.session.load.value.kind, "ready", "load");
});

test("an old answer does not take back the mode, nor end a turn that has begun since", async () => {
  const host = await opened([item(0, "approval/policy", { policy: "ask" })]);
  void host.session.refresh();
  host.session.receive(item(1, "approval/policy", { policy: "full" }));
  host.session.receive(item(2, "turn/start"));
  await host.answer(pageOf([item(0, "approval/policy", { policy: "ask" })]));
  check.equal(host.session.mode.value, "full", "mode");
  check.equal(host.session.turnLive.value, true, "live");
});

test("an older page that comes when the window begins elsewhere is dropped, and can be asked for again", async () => {
  const log = Array.from({ length: 30 }, (_, seq) => item(seq, "step/start"));
  const host = await opened(log.slice(0, 10), 5);
  void host.session.loadOlder();
  const [older] = host.calls.splice(0, 1);
  void host.session.refresh(); // back after a long absence: the newest page is far away
  await host.answer(pageOf(log, 20));
  older!.answer(pageOf(log.slice(0, 5)));
  await settle();
  check.equal(seen(host.session).window, log.slice(20).map((each) => each.event.seq), "window");
  check.equal(host.session.hasMore.value, true, "more");
  void host.session.loadOlder();
  check.equal(host.calls.map((each) => each.payload.beforeSeq), [20], "asked for");
});
