// The open session: holds its window of the log, keeps it gapless while events
// stream in, and offers the transcript.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Rpc, RpcError } from "../wire/rpc";
import type { Answer, Damage, Decision, HistoryPage, Holder, Mode, ModelTarget, PendingApproval, PendingQuestions, QueueItem, StorageTrouble, Todo, ViewedEvent } from "../wire/types";
import { modeOf, todosOf } from "./events";
import type { Expectation, PendingPrompt } from "./pending";
import { Prompts } from "./prompts";
import type { Transcript } from "./rows";
import { count, noStats, told, type Stats } from "./stats";
import { TranscriptProjection } from "./transcript";
import { emptyWindow, extend, headSeq, joinHead, joinTail, tailSeq, type LogWindow } from "./window";

export type LoadState = { readonly kind: "loading" } | { readonly kind: "ready" } | { readonly kind: "failed"; readonly error: RpcError };

/** Turns fetched at once on the way back to an event. */
const reachTurns = 100;

export class OpenSession {
  readonly load = signal<LoadState>({ kind: "loading" });
  readonly transcript: ReadonlySignal<Transcript>;
  readonly hasMore = signal(false);
  readonly loadingOlder = signal(false);
  readonly model = signal<ModelTarget | undefined>(undefined);
  /** Prompts that are, or are about to be, part of the running turn and aren't rows yet. */
  readonly pending: ReadonlySignal<readonly PendingPrompt[]>;
  /** Prompts that wait for a turn of their own, in order. */
  readonly queued: ReadonlySignal<readonly PendingPrompt[]>;
  /** The agent's to-do list. */
  readonly todos = signal<readonly Todo[]>([]);
  /** What the session has cost so far. */
  readonly stats = signal<Stats>(noStats);
  /** What the agent asks and waits for. */
  readonly question = signal<PendingQuestions | undefined>(undefined);
  /** The call that waits for leave, the oldest when there are several. */
  readonly approval = signal<PendingApproval | undefined>(undefined);
  /** What the session may do; undefined until it is known. */
  readonly mode = signal<Mode | undefined>(undefined);
  /** Another host that has the session open: here it can only be read. */
  readonly lockedBy = signal<Holder | undefined>(undefined);
  /** Why, and from which event on, the host cannot store the log for now. */
  readonly trouble = signal<StorageTrouble | undefined>(undefined);
  /** Why the log ends where it does, when that isn't its end. */
  readonly damage = signal<Damage | undefined>(undefined);
  /** A turn that was seen starting has not been seen ending. */
  readonly turnLive = signal(false);

  readonly #prompts: Prompts;
  /** What the page holds of the log's end: it grows at both ends and has no gap. */
  readonly window: ReadonlySignal<LogWindow>;
  readonly #held = signal(emptyWindow);
  readonly #snapshot: { value: Transcript };
  #projection = new TranscriptProjection();
  #buffer: ViewedEvent[] = [];
  #fetching = false;
  /** A fetch was asked for while one ran: its answer may be too old. */
  #fetchAgain = false;
  /** An event beyond a gap came while a fetch ran: its answer may be from before that event. */
  #overtaken = false;
  /** How many other runs of the host have answered. What an earlier one says is of a log that may be gone. */
  #run = 0;
  /** The host is another run: the window may hold what the log on disk has lost. */
  #doubted = false;
  /** How far the host said its log reaches. */
  #announced = -1;
  /** Seq as of which the to-do list is known. */
  #todosSeq = -1;
  /** Seq as of which the mode is known. */
  #modeSeq = -1;
  /** Seq as of which the stats are counted. */
  #statsSeq = -1;
  #closed = false;

  constructor(
    readonly id: string,
    readonly rpc: Rpc,
    /** This page made it: whatever is in it is news here. */
    readonly made = false,
  ) {
    const snapshot = signal(this.#projection.snapshot());
    this.#snapshot = snapshot;
    this.transcript = snapshot;
    this.window = this.#held;
    this.#prompts = new Prompts(computed(() => snapshot.value.rpcIds), () => this.load.value.kind === "ready");
    this.pending = this.#prompts.pending;
    this.queued = this.#prompts.queued;
  }

  get #window(): LogWindow {
    return this.#held.peek();
  }

  set #window(window: LogWindow) {
    this.#held.value = window;
  }

  /** Fetches the newest page; also the way back after a lost connection. Never rejects: a failure becomes the load state. */
  async refresh(): Promise<void> {
    if (this.#fetching) {
      this.#fetchAgain = true;
      return;
    }
    this.#fetching = true;
    this.#overtaken = false;
    const run = this.#run;
    try {
      const page = await this.rpc.call("session.history", { sessionId: this.id });
      if (run !== this.#run) this.#fetchAgain = true;
      else if (!this.#closed) this.#takeTail(page);
    } catch (error) {
      if (!this.#closed && this.load.value.kind !== "ready") this.load.value = { kind: "failed", error: error as RpcError };
    } finally {
      this.#fetching = false;
    }
    if (this.#fetchAgain && !this.#closed && (this.load.value.kind === "ready" || run !== this.#run)) {
      this.#fetchAgain = false;
      await this.refresh();
    }
  }

  /** Another run of the host answers: what the log is now is for its next page to say, and only then for live events. */
  restarted(): void {
    this.#doubted = true;
    this.#run++;
    this.#buffer = [];
  }

  retry(): void {
    this.load.value = { kind: "loading" };
    void this.refresh();
  }

  /** Makes sure that the window reaches back to an event. Resolves to false when it cannot be fetched. */
  async reach(seq: number): Promise<boolean> {
    while (!this.#closed && this.load.value.kind === "ready" && headSeq(this.#window) > seq && this.hasMore.value) {
      const before = headSeq(this.#window);
      await this.loadOlder(reachTurns);
      if (headSeq(this.#window) === before) return false;
    }
    return headSeq(this.#window) <= seq;
  }

  /** The event that a row of the transcript tells of: for a tool call its tool/call, else the first one that made the row. */
  eventOf(rowKey: string): number | undefined {
    return this.#projection.eventOf(rowKey);
  }

  /** The row that an event is told by: its own, or the first one after it. */
  rowOf(seq: number): string | undefined {
    return this.#projection.rowOf(seq);
  }

  async loadOlder(maxTurns?: number): Promise<void> {
    if (this.loadingOlder.value || !this.hasMore.value) return;
    this.loadingOlder.value = true;
    const head = headSeq(this.#window);
    const run = this.#run;
    try {
      const page = await this.rpc.call("session.history", { sessionId: this.id, beforeSeq: head, ...(maxTurns !== undefined && { maxTurns }) });
      // Where it was asked for, the window may have another beginning by now.
      if (this.#closed || run !== this.#run || headSeq(this.#window) !== head) return;
      const joined = joinHead(this.#window, pageWindow(page));
      if (joined === undefined) {
        console.error(`[keylane] history page discontinuous before seq ${headSeq(this.#window)} of ${this.id}`);
        this.hasMore.value = false;
        return;
      }
      this.#reproject(joined);
    } catch {
      // The button stays, and with it the way to try again.
    } finally {
      this.loadingOlder.value = false;
    }
  }

  /** A live event of this session. */
  receive(item: ViewedEvent): void {
    if (this.load.value.kind !== "ready" || this.#doubted) {
      this.#buffer.push(item);
      this.#overtaken = true;
      return;
    }
    const { window, taken, beyond } = extend(this.#window, this.#buffer.concat(item));
    this.#buffer = [...beyond];
    this.#append(window, taken, true);
    if (beyond.length > 0) this.#repair();
  }

  /** The host says how far its log reaches. */
  subscribed(lastSeq: number): void {
    this.#announced = lastSeq;
    if (this.load.value.kind === "ready" && lastSeq > tailSeq(this.#window)) void this.refresh();
  }

  /** The host says what waits. */
  queue(items: readonly QueueItem[]): void {
    this.#prompts.tell(items);
  }

  /** What the host said of the queue may be old: until it says it again, the history's word counts. */
  forgetQueue(): void {
    this.#prompts.forget();
  }

  /** Answers the questions, in their order; undefined dismisses them. They go when the host says so. */
  async answer(asked: PendingQuestions, answers: readonly Answer[] | undefined): Promise<void> {
    await this.rpc.respond(asked.questionRpcId, answers && { sessionId: this.id, answer: { answers } });
  }

  /** Decides about a call that waits. It goes when the host says so. */
  async decide(asked: PendingApproval, outcome: Decision): Promise<void> {
    await this.rpc.respond(asked.approvalId, { sessionId: this.id, approvalId: asked.approvalId, outcome });
  }

  /** Makes a session that begins as a copy of this one, up to the end of the turn that holds event `atSeq`; resolves to its id. Rejects with an RpcError. */
  async branch(atSeq: number): Promise<string> {
    return (await this.rpc.call("session.fork", { sessionId: this.id, atSeq })).sessionId;
  }

  /** Shows a prompt before the host knows it. */
  echo(rpcId: string, text: string, expectation: Expectation): void {
    this.#prompts.echo(rpcId, text, expectation);
  }

  /** The host has this prompt: it waits in the session or is part of it. */
  knows(rpcId: string): boolean {
    return this.load.value.kind === "ready" && this.#prompts.has(rpcId);
  }

  echoAccepted(rpcId: string): void {
    this.#prompts.accepted(rpcId);
  }

  dropEcho(rpcId: string): void {
    this.#prompts.drop(rpcId);
  }

  /** Late answers are ignored from here on. */
  close(): void {
    this.#closed = true;
  }

  #takeTail(page: HistoryPage): void {
    const joined = this.#doubted ? pageWindow(page) : joinTail(this.#window, pageWindow(page));
    if (this.#doubted) this.#statsSeq = this.#todosSeq = this.#modeSeq = -1;
    const rests = page.projections?.values.running === false && (this.#doubted || page.projections.asOfSeq >= tailSeq(this.#window));
    const overtaken = this.#overtaken;
    this.#doubted = false;
    batch(() => {
      this.#prompts.remember(page.projections?.values.queue ?? []);
      if (page.projections) {
        this.#takeTodos(page.projections.asOfSeq, page.projections.values.todos);
        this.#takeStats(page.projections.asOfSeq, told(page.projections.values));
        this.#takeMode(page.projections.asOfSeq, page.projections.values.mode);
      }
      this.model.value = page.projections?.values.model ?? this.model.value;
      this.lockedBy.value = page.lockedBy;
      this.damage.value = page.damage;
      if (rests) this.turnLive.value = false;
      const grew = joined.events.length - this.#window.events.length;
      const continues = this.#window.events.length > 0 && joined.events[0] === this.#window.events[0];
      if (continues) this.#append(joined, joined.events.slice(-grew || joined.events.length), false);
      else this.#reproject(joined);
      this.load.value = { kind: "ready" };
      const { window, taken, beyond } = extend(this.#window, this.#buffer);
      this.#append(window, taken, true);
      this.#buffer = [...beyond];
      if (tailSeq(window) < this.#announced || (beyond.length > 0 && overtaken)) this.#fetchAgain = true;
      this.#announced = -1; // ask once, not for ever
    });
  }

  #append(window: LogWindow, taken: readonly ViewedEvent[], live: boolean): void {
    if (taken.length === 0) return;
    batch(() => {
      this.#window = window;
      this.#projection.apply(taken);
      for (const { event } of taken) {
        if (event.seq > this.#statsSeq) this.#takeStats(event.seq, count(this.stats.value, event));
        if (event.type === "turn/start" && live) this.turnLive.value = true;
        if (event.type === "turn/end") this.turnLive.value = false;
        if (event.type === "approval/policy") this.#takeMode(event.seq, modeOf(event.data));
        if (event.type === "todo/write") this.#takeTodos(event.seq, todosOf(event.data));
      }
      this.#snapshot.value = this.#projection.snapshot();
      this.#prompts.retire();
    });
  }

  #reproject(window: LogWindow): void {
    batch(() => {
      this.#window = window;
      this.#projection = new TranscriptProjection();
      this.#projection.apply(window.events);
      this.hasMore.value = window.hasMore;
      this.#snapshot.value = this.#projection.snapshot();
      this.#prompts.retire();
    });
  }

  #takeTodos(seq: number, todos: readonly Todo[] | undefined): void {
    if (seq < this.#todosSeq || todos === undefined) return;
    this.#todosSeq = seq;
    this.todos.value = todos;
  }

  #takeMode(seq: number, mode: Mode | undefined): void {
    if (seq < this.#modeSeq || mode === undefined) return;
    this.#modeSeq = seq;
    this.mode.value = mode;
  }

  #takeStats(seq: number, stats: Stats): void {
    if (seq < this.#statsSeq) return;
    this.#statsSeq = seq;
    this.stats.value = stats;
  }

  #repair(): void {
    if (this.#fetching) {
      this.#overtaken = true;
      return;
    }
    const missing = tailSeq(this.#window) + 1;
    console.warn(`[keylane] gap repair of ${this.id} from seq ${missing}`);
    void this.refresh();
  }
}

function pageWindow(page: HistoryPage): LogWindow {
  return { events: page.events ?? [], hasMore: page.hasMore };
}
