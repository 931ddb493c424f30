import { check, property, test } from "../testing/testing";
import type { Random } from "../testing/random";
import { Fanout, type Message } from "./fanout";
import { understand, type Received } from "./stream";
import type { StreamName } from "./types";

/** A frame as the host writes it. */
function pushed(id: string | undefined, method: string, payload: object): Received {
  return understand({ id, data: JSON.stringify({ type: "server-request", rpcId: "r", method, payload }) });
}

const event = (n: number, session: string, seq: number, words = "") => pushed(`e-${n}`, "session/event", { sessionId: session, event: { type: "x", seq, time: 0, data: { words } } });

/** What a tab makes of what it is sent; it takes in messages one by one, when it is asked to. */
class Tab {
  readonly waiting: Message[] = [];
  state = "";
  cursor = { mux: "", host: "" };
  sessions = new Map<string, number>();
  questions = new Map<string, string>();
  approvals = new Map<string, string>();
  queues = new Map<string, string>();
  resyncs: string[] = [];
  events: string[] = [];
  /** Events that continue no log: the tab would have to ask for what is missing. */
  gaps = 0;

  constructor(readonly fanout: Fanout<Tab>) {}

  /** Takes in the next message, and says so. */
  take(): void {
    const message = this.waiting.shift();
    if (!message) return;
    for (const part of message.parts) {
      if ("state" in part) this.state = part.state;
      else for (const { id, text } of part.blocks) this.handle(part.stream, understand({ id, data: text }));
    }
    this.fanout.taken(this, message.size);
  }

  takeAll(): void {
    while (this.waiting.length > 0) this.take();
  }

  handle(stream: StreamName, { id, frame }: Received): void {
    const payload = frame?.payload as { sessionId: string; lastSeq: number; reason: string; event: { seq: number }; items: unknown; questionRpcId: string; approvalId: string };
    const session = payload?.sessionId;
    switch (frame?.method) {
      case "resync":
        this.resyncs.push(`${stream} ${payload.reason}`);
        if (stream === "mux") for (const all of [this.sessions, this.questions, this.approvals, this.queues]) all.clear();
        break;
      case "session/subscribed":
        for (const all of [this.questions, this.approvals]) for (const [key, of] of all) if (of === session) all.delete(key);
        this.queues.delete(session);
        this.sessions.set(session, payload.lastSeq);
        break;
      case "session/event":
        if (payload.event.seq !== (this.sessions.get(session) ?? -1) + 1) this.gaps++;
        this.sessions.set(session, payload.event.seq);
        this.events.push(`${session} ${payload.event.seq}`);
        break;
      case "session/queue":
        this.queues.set(session, JSON.stringify(payload.items));
        break;
      case "question/requested":
        this.questions.set(payload.questionRpcId, session);
        break;
      case "question/resolved":
        this.questions.delete(payload.questionRpcId);
        break;
      case "approval/requested":
        this.approvals.set(payload.approvalId, session);
        break;
      case "approval/resolved":
        this.approvals.delete(payload.approvalId);
        break;
    }
    if (id !== undefined) this.cursor[stream] = id;
  }

  get knows(): unknown {
    const sorted = (map: Map<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
    return { state: this.state, cursor: this.cursor, sessions: sorted(this.sessions), questions: sorted(this.questions), approvals: sorted(this.approvals), queues: sorted(this.queues) };
  }
}

/** A host that does whatever it likes, in frames that hold together. */
class Host {
  n = 0;
  epoch = "e";
  readonly sessions = new Map<string, number>();
  readonly questions = new Map<string, string>();
  readonly approvals = new Map<string, string>();
  readonly queues = new Map<string, readonly string[]>();

  constructor(
    readonly random: Random,
    readonly say: (stream: StreamName, items: readonly Received[]) => void,
  ) {}

  /** Frames of one piece of the network. */
  step(): void {
    if (this.random.chance(0.1)) this.say("host", [pushed(`${this.epoch}-${++this.n}`, "host/session-status", { sessionId: "s0", running: true })]);
    else if (this.random.chance(0.03)) this.resync();
    else this.say("mux", Array.from({ length: this.random.integer(1, 4) }, () => this.frame()));
  }

  resync(): void {
    const reason = this.random.pick(["epoch", "too-old", "overflow"]);
    if (reason === "epoch") {
      this.epoch += "e";
      for (const all of [this.questions, this.approvals]) all.clear();
    }
    this.say("mux", [pushed(`${this.epoch}-0`, "resync", { reason })]);
    for (const each of this.baseline()) this.say("mux", [each]);
  }

  baseline(): readonly Received[] {
    const zero = `${this.epoch}-0`;
    return [
      ...[...this.sessions].map(([sessionId, lastSeq]) => pushed(zero, "session/subscribed", { sessionId, lastSeq })),
      ...[...this.questions].map(([questionRpcId, sessionId]) => pushed(zero, "question/requested", { sessionId, questionRpcId, questions: [] })),
      ...[...this.approvals].map(([approvalId, sessionId]) => pushed(zero, "approval/requested", { sessionId, approvalId, toolName: "bash" })),
      ...[...this.sessions.keys()].map((sessionId) => pushed(zero, "session/queue", { sessionId, items: this.queues.get(sessionId) ?? [] })),
      { id: `${this.epoch}-${this.n}` },
    ];
  }

  frame(): Received {
    const id = `${this.epoch}-${++this.n}`;
    const known = [...this.sessions.keys()];
    if (known.length === 0 || this.random.chance(0.05)) {
      const sessionId = `s${known.length}`;
      this.sessions.set(sessionId, -1);
      return pushed(id, "session/subscribed", { sessionId, lastSeq: -1 });
    }
    const sessionId = this.random.pick(known);
    const asked = (all: Map<string, string>) => [...all.keys()].at(0);
    switch (this.random.integer(0, 9)) {
      case 0:
        this.queues.set(sessionId, this.random.picks(["a", "b"], 0, 2));
        return pushed(id, "session/queue", { sessionId, items: this.queues.get(sessionId) });
      case 1:
        this.questions.set(id, sessionId);
        return pushed(id, "question/requested", { sessionId, questionRpcId: id, questions: [] });
      case 2:
        this.approvals.set(id, sessionId);
        return pushed(id, "approval/requested", { sessionId, approvalId: id, toolName: "bash" });
      case 3: {
        const questionRpcId = asked(this.questions) ?? "none";
        this.questions.delete(questionRpcId);
        return pushed(id, "question/resolved", { sessionId, questionRpcId, outcome: "answered" });
      }
      case 4: {
        const approvalId = asked(this.approvals) ?? "none";
        this.approvals.delete(approvalId);
        return pushed(id, "approval/resolved", { sessionId, approvalId, outcome: "rejected" });
      }
      default: {
        const seq = (this.sessions.get(sessionId) ?? -1) + 1;
        this.sessions.set(sessionId, seq);
        return pushed(id, "session/event", { sessionId, event: { type: "x", seq, time: 0, data: {} } });
      }
    }
  }
}

function joined(fanout: Fanout<Tab>): Tab {
  const tab = new Tab(fanout);
  fanout.join(tab);
  return tab;
}

const toTabs = (limit?: number) => new Fanout<Tab>((tab, message) => tab.waiting.push(message), limit);

property("a tab knows the same whenever it came and however slowly it takes in, and that is what the host knows", 300, (random) => {
  const fanout = toTabs(random.pick([1, 500, 2_000, 1 << 20]));
  const host = new Host(random, (stream, items) => fanout.received(stream, items));
  const reader = new Tab(fanout); // opened a stream of its own, from the beginning
  const tabs: Tab[] = [];
  const direct = fanout.received.bind(fanout);
  fanout.received = (stream, items) => {
    for (const item of items) reader.handle(stream, item);
    direct(stream, items);
  };
  fanout.state("open");
  reader.state = "open";
  for (let step = random.integer(0, 120); step > 0; step--) {
    host.step();
    if (random.chance(0.1)) tabs.push(joined(fanout));
    for (const tab of tabs) if (random.chance(0.4)) tab.take();
  }
  tabs.push(joined(fanout));
  for (const tab of tabs) {
    tab.takeAll();
    check.equal(tab.knows, reader.knows, "a tab");
    check.equal(tab.gaps, 0, "gaps in what it was sent");
  }
});

property("a tab that keeps up gets every frame after its baseline, once and in order", 100, (random) => {
  const fanout = toTabs();
  let n = 0;
  const emit = () => fanout.received("mux", Array.from({ length: random.integer(1, 5) }, () => event(n, "s", n++)));
  for (let before = random.integer(0, 20); before > 0; before--) emit();
  const tab = joined(fanout);
  const first = n;
  for (let after = random.integer(0, 20); after > 0; after--) {
    emit();
    if (random.chance(0.5)) tab.takeAll();
  }
  tab.takeAll();
  check.equal(tab.events, Array.from({ length: n - first }, (_, offset) => `s ${first + offset}`), "events");
  check.equal([tab.resyncs, tab.gaps, tab.cursor.mux], [[], 0, n === 0 ? "" : `e-${n - 1}`], "resyncs, gaps and the cursor");
});

test("a frozen tab is sent no more than its limit, and the others everything", () => {
  const fanout = toTabs(10_000);
  const frozen = joined(fanout);
  const lively = joined(fanout);
  for (let n = 0; n < 1_000; n++) {
    fanout.received("mux", [event(n, "s", n, "x".repeat(500))]);
    lively.takeAll();
  }
  check.equal(lively.events.length, 1_000, "events of the lively tab");
  check.equal(lively.resyncs, [], "its resyncs");
  const size = frozen.waiting.reduce((sum, message) => sum + message.size, 0);
  check(size <= 10_000, `${size} characters wait for the frozen tab`);
  frozen.takeAll();
  check.equal(frozen.resyncs, ["mux overflow", "host overflow"], "resyncs of the tab that thaws");
  check.equal(frozen.knows, lively.knows, "what it knows then");
  fanout.received("mux", [event(1_000, "s", 1_000)]);
  frozen.takeAll();
  check.equal([frozen.events.at(-1), frozen.gaps], ["s 1000", 0], "its next event");
});

test("a frame that is larger than the limit gets there", () => {
  const fanout = toTabs(10_000);
  const tab = joined(fanout);
  tab.takeAll();
  fanout.received("mux", [event(0, "s", 0, "x".repeat(50_000))]);
  tab.takeAll();
  check.equal([tab.events, tab.resyncs], [["s 0"], []], "events and resyncs");
});

test("a tab that was behind when the host was another hears that, not only that it missed frames", () => {
  const fanout = toTabs(1_000);
  const behind = joined(fanout);
  fanout.received("mux", [event(0, "s", 0, "x".repeat(2_000))]);
  fanout.received("mux", [pushed("f-0", "resync", { reason: "epoch" }), pushed("f-0", "session/subscribed", { sessionId: "s", lastSeq: 7 }), { id: "f-9" }]);
  fanout.received("mux", [event(1, "s", 8, "x".repeat(2_000))]);
  behind.takeAll();
  check.equal(behind.resyncs, ["mux epoch", "host epoch"], "resyncs");
  check.equal([...behind.sessions], [["s", 8]], "sessions");
});

test("how the pair of streams is reaches tabs that are there, late, and behind", () => {
  const fanout = toTabs(1_000);
  const early = joined(fanout);
  check.equal(early.waiting.length, 1, "messages to a tab before anything has come");
  fanout.state("open");
  early.takeAll();
  check.equal(early.state, "open", "early");
  fanout.received("mux", [event(0, "s", 0, "x".repeat(2_000))]);
  fanout.state("lost");
  fanout.state("open");
  fanout.state("lost");
  early.takeAll();
  check.equal(early.state, "lost", "behind");
  const late = joined(fanout);
  late.takeAll();
  check.equal(late.state, "lost", "late");
});

test("a host that comes and goes costs a frozen tab a bounded number of messages", () => {
  const fanout = toTabs(10_000);
  const frozen = joined(fanout);
  for (let n = 0; n < 10_000; n++) fanout.state(n % 2 === 0 ? "lost" : "open");
  check(frozen.waiting.length <= 40, `${frozen.waiting.length} messages wait`);
  frozen.takeAll();
  check.equal(frozen.state, "open", "state");
});

test("a tab that is gone is sent nothing and changes nothing", () => {
  const fanout = toTabs(1_000);
  const [gone, stays] = [joined(fanout), joined(fanout)];
  fanout.received("mux", [event(0, "s", 0, "x".repeat(2_000))]);
  fanout.leave(gone);
  check.equal(fanout.size, 1, "tabs");
  const sent = gone.waiting.length;
  gone.takeAll(); // what it says afterwards comes too late
  fanout.received("mux", [event(1, "s", 1)]);
  check.equal([sent, gone.waiting.length], [1, 0], "messages to the tab that is gone");
  stays.takeAll();
  check.equal([...stays.sessions], [["s", 1]], "the other tab's sessions");
});

test("a session that was deleted is in no late tab's baseline", () => {
  const fanout = toTabs();
  fanout.received("mux", [event(0, "s", 0), event(1, "t", 0), pushed("e-2", "session/queue", { sessionId: "s", items: ["a"] })]);
  fanout.received("host", [pushed("e-1", "host/session-removed", { sessionId: "s" })]);
  const late = joined(fanout);
  late.takeAll();
  check.equal([[...late.sessions], [...late.queues]], [[["t", 0]], []], "sessions and queues");
});
