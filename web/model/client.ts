// The page's one client: connection, lists, the open session, and the few
// things a person can ask of the host. Plugins reach it through useClient().

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { connect, type Connection } from "../wire/connection";
import { newId } from "../wire/id";
import { createRpc, RpcError, type Rpc } from "../wire/rpc";
import type { HostDescription, HostFrame, Mode, ModelTarget, MuxFrame, PendingApproval, PendingQuestions, PromptMode, ProviderInfo, QueueAction, QueueItem, Resync, StorageTrouble, Workspace } from "../wire/types";
import { openSession, openStart } from "./context";
import { Lists } from "./lists";
import { lastWorkspace, unread } from "./preferences";
import { OpenSession } from "./session";
import { Sessions } from "./sessions";
import { Credentials } from "./credentials";
import { settings } from "./settings";
import { watchUnread } from "./unread";
import { Workspaces } from "./workspaces";

export class Client {
  readonly rpc: Rpc = createRpc();
  readonly lists = new Lists(this.rpc);
  readonly sessions = new Sessions(this.rpc, this.lists);
  readonly workspaces = new Workspaces(this.rpc);
  readonly description = signal<HostDescription | undefined>(undefined);
  readonly connection: Connection;
  /** The session on screen, undefined on the start page. */
  readonly open: ReadonlySignal<OpenSession | undefined>;
  /** The model that the next new session will use; undefined means the host's default. */
  readonly chosen = signal<ModelTarget | undefined>(undefined);
  /** What the next new session may do; undefined means the host's default. */
  readonly chosenMode = signal<Mode | undefined>(undefined);
  /** The workspace of the next new session, kept over reloads and sessions; undefined means the host's default folder. */
  readonly chosenWorkspace = lastWorkspace;
  /** Sessions that wait for the person: for an answer or for leave. */
  readonly waiting = signal<ReadonlySet<string>>(new Set());
  readonly #open = signal<OpenSession | undefined>(undefined);
  /** Queue snapshots of every session: they arrive before a session is opened. */
  readonly #queues = new Map<string, readonly QueueItem[]>();
  /** Sessions whose log the host cannot store for now. */
  readonly #troubles = new Map<string, StorageTrouble>();
  /** Waiting questions of every session, oldest first. */
  #questions: readonly PendingQuestions[] = [];
  /** Calls of every session that wait for leave, oldest first. */
  #approvals: readonly PendingApproval[] = [];

  /** Keys of providers. */
  readonly credentials = new Credentials(this.rpc);

  constructor() {
    this.open = this.#open;
    settings.connect(this.rpc);
    watchUnread(this.lists, computed(() => this.#open.value?.id), unread);
    this.connection = connect({
      probe: () => this.describe(),
      connected: () => this.#resynchronise(),
      frame: (stream, method, payload) => {
        if (method === "resync") {
          if (stream === "mux") this.#forgetQueues();
          if (stream === "mux" && (payload as Resync).reason === "epoch") this.#restarted();
          if (this.connection.state.value === "connected") this.#resynchronise();
        } else if (stream === "mux") {
          this.#mux({ method, payload } as MuxFrame);
        } else {
          this.#host({ method, payload } as HostFrame);
        }
      },
    });
  }

  /** True while the open session works, as far as the page can know. */
  readonly running: ReadonlySignal<boolean> = computed(() => {
    const open = this.#open.value;
    if (!open) return false;
    const listed = this.lists.sessions.value.find((item) => item.sessionId === open.id);
    return open.turnLive.value || listed?.running === true;
  });

  /** What the open session, or the next new one, talks to. */
  readonly target: ReadonlySignal<ModelTarget | undefined> = computed(() => {
    const open = this.#open.value;
    if (open) return open.model.value;
    if (this.chosen.value) return this.chosen.value;
    const { provider, model } = this.description.value ?? {};
    return provider ? { provider, model: model ?? "" } : undefined;
  });

  /** What the open session, or the next new one, may do. */
  readonly mode: ReadonlySignal<Mode | undefined> = computed(() => {
    const open = this.#open.value;
    return open ? open.mode.value : (this.chosenMode.value ?? this.description.value?.mode);
  });

  /** Where the next new session will work: the chosen workspace, or the default one when none is chosen or that one is gone. Undefined until the lists are there. */
  readonly workspace: ReadonlySignal<Workspace | undefined> = computed(() => {
    const all = this.lists.workspaces.value;
    return all.find((item) => item.workspaceId === this.chosenWorkspace.value) ?? all.find((item) => item.path === this.description.value?.cwd);
  });

  /** How a call names where the next new session will work: not at all for the default folder, which is there also when the list of workspaces cannot be read. */
  place(): { readonly workspaceId?: string } {
    const chosen = this.chosenWorkspace.value;
    return chosen === undefined ? {} : { workspaceId: this.workspace.value?.workspaceId ?? chosen };
  }

  readonly providers: ReadonlySignal<readonly ProviderInfo[]> = computed(() => this.description.value?.providers ?? []);

  async describe(): Promise<void> {
    this.description.value = await this.rpc.call("host.describe", {});
  }

  /** Puts a session on screen; undefined shows the start page. The shell calls this when the address changes. */
  show(sessionId: string | undefined): void {
    if (this.#open.value?.id === sessionId) return;
    this.#open.value?.close();
    if (sessionId === undefined) {
      this.#open.value = undefined;
      return;
    }
    this.#adopt(sessionId);
  }

  #adopt(sessionId: string, made = false): OpenSession {
    const session = new OpenSession(sessionId, this.rpc, made);
    const queue = this.#queues.get(sessionId);
    if (queue) session.queue(queue);
    session.trouble.value = this.#troubles.get(sessionId);
    session.question.value = this.#questions.find((item) => item.sessionId === sessionId);
    session.approval.value = this.#approvals.find((item) => item.sessionId === sessionId);
    this.#open.value = session;
    void session.refresh();
    return session;
  }

  /**
   * Sends a prompt to the open session, creating one when none is open, and
   * resolves to the session's id once the host accepted it. While a turn runs it
   * waits for a turn of its own or, steered, joins this one at its next step.
   * Rejects with an RpcError, and then nothing of the prompt stays on screen. `rpcId` is a fresh id that the prompt will be known by.
   * `made` hears of the session that was created, which is put on screen unless the person has opened another one meanwhile.
   */
  async send(text: string, mode: PromptMode = "queue", rpcId = newId(), made: (sessionId: string) => void = () => {}): Promise<string> {
    const busy = this.running.value;
    const session = this.#open.value ?? (await this.#create(made));
    const waits = busy || session.queued.value.length > 0;
    session.echo(rpcId, text, !waits ? "starts" : busy && mode === "steer" ? "steers" : "queues");
    try {
      await this.rpc.call("session.prompt", { sessionId: session.id, mode, content: [{ type: "text", text }] }, rpcId);
      session.echoAccepted(rpcId);
    } catch (error) {
      session.dropEcho(rpcId);
      // Since the page was fetched another host has taken the session, or its file was spoiled: the next page says so.
      if (error instanceof RpcError && (error.code === "session-locked" || error.code === "session-damaged")) void session.refresh();
      throw error;
    }
    return session.id;
  }

  /**
   * Changes a message of the open session's queue. Resolves to false when it is
   * too late: a turn has taken the message, or none runs that it could join. The
   * queue shows that by itself. Rejects with an RpcError.
   */
  async updateQueue(itemId: string, action: QueueAction): Promise<boolean> {
    const session = this.#open.value;
    if (!session) return false;
    try {
      await this.rpc.call("session.updateQueue", { sessionId: session.id, itemId, action });
      return true;
    } catch (error) {
      if (error instanceof RpcError && (error.code === "queue-item-not-found" || error.code === "steer-unavailable")) return false;
      throw error;
    }
  }

  async #create(made: (sessionId: string) => void): Promise<OpenSession> {
    const { sessionId } = await this.rpc.call("session.create", { ...this.chosen.value, ...this.place() });
    // Before the first prompt, so that nothing runs under another mode.
    if (this.chosenMode.value) await this.rpc.call("session.setMode", { sessionId, mode: this.chosenMode.value });
    this.chosenMode.value = undefined; // a choice is for one session: the next begins as the host says
    made(sessionId);
    // Whoever has gone elsewhere meanwhile stays there; the list has the new session.
    return this.#open.value ? new OpenSession(sessionId, this.rpc) : batch(() => this.#adopt(sessionId, true));
  }

  /** Ends the running turn of the open session. */
  async stop(): Promise<void> {
    const session = this.#open.value;
    if (session) await this.rpc.call("session.cancel", { sessionId: session.id });
  }

  /** Names the open session; resolves to the name as the host keeps it. Rejects with an RpcError, "title-invalid" for a text that is no name. */
  async rename(title: string): Promise<string> {
    const session = this.#open.value;
    if (!session) return "";
    return this.sessions.rename(session.id, title);
  }

  /** Asks for a summary in the place of the open session's older history. Rejects with an RpcError, "compaction-unavailable" when there can be none. */
  async compact(): Promise<void> {
    const session = this.#open.value;
    if (session) await this.rpc.call("session.compact", { sessionId: session.id });
  }

  /** Chooses the model of the open session, or of the next new one. */
  async selectModel(target: ModelTarget): Promise<void> {
    const session = this.#open.value;
    if (!session) {
      this.chosen.value = target;
      return;
    }
    await this.rpc.call("session.selectModel", { sessionId: session.id, ...target });
    session.model.value = target;
  }

  /** Chooses what the open session, or the next new one, may do. */
  async setMode(mode: Mode): Promise<void> {
    const session = this.#open.value;
    if (!session) {
      this.chosenMode.value = mode;
      return;
    }
    const set = await this.rpc.call("session.setMode", { sessionId: session.id, mode });
    session.mode.value = set.mode;
  }

  /** Asks again what this page is not told: what another host of the same home has done to sessions and folders. The shell calls this when somebody comes back to the page. */
  lookAgain(): void {
    if (this.connection.state.value !== "connected") return; // a new connection asks by itself
    void this.lists.refresh();
    if (this.#open.value?.lockedBy.value) void this.#open.value.refresh();
  }

  #forgetQueues(): void {
    this.#queues.clear();
    this.#open.value?.forgetQueue();
  }

  #resynchronise(): void {
    void this.lists.refresh();
    void settings.refresh();
    void this.#open.value?.refresh();
  }

  /** Another run of the host answers: it waits for no answer that the one before it asked for. */
  #restarted(): void {
    this.#ask([]);
    this.#askLeave([]);
    this.#open.value?.restarted();
  }

  #host(frame: HostFrame): void {
    if (frame.method === "host/credentials-changed") {
      if (this.credentials.description.value) void this.credentials.refresh().catch(() => {}); // a lost connection shows itself
      void this.describe().catch(() => {}); // whether a provider is ready
      return;
    }
    if (frame.method === "host/settings-changed") {
      settings.changed(frame.payload.revision);
      void this.describe().catch(() => {}); // the mode of new sessions is a setting; a lost connection describes again
      return;
    }
    const gone = frame.method === "host/session-removed" && frame.payload.sessionId === this.#open.value?.id;
    const beside = gone ? this.lists.beside(frame.payload.sessionId) : undefined;
    batch(() => {
      this.lists.apply(frame);
      if (frame.method === "host/workspace-removed" && frame.payload.workspaceId === this.chosenWorkspace.value) this.chosenWorkspace.value = undefined;
      if (!gone) return;
      if (beside === undefined) openStart();
      else openSession(beside);
    });
  }

  #mux(frame: MuxFrame): void {
    const { sessionId } = frame.payload;
    const open = this.#open.value?.id === sessionId ? this.#open.value : undefined;
    switch (frame.method) {
      case "session/subscribed":
        this.#ask(this.#questions.filter((item) => item.sessionId !== sessionId));
        this.#askLeave(this.#approvals.filter((item) => item.sessionId !== sessionId));
        this.#tellTrouble(sessionId, undefined);
        open?.subscribed(frame.payload.lastSeq);
        return;
      case "session/storage":
        this.#tellTrouble(sessionId, frame.payload.trouble);
        return;
      case "session/event":
        open?.receive(frame.payload);
        return;
      case "session/queue":
        this.#queues.set(sessionId, frame.payload.items);
        open?.queue(frame.payload.items);
        return;
      case "question/requested":
        this.#ask(this.#questions.filter((item) => item.questionRpcId !== frame.payload.questionRpcId).concat(frame.payload));
        return;
      case "question/resolved":
        this.#ask(this.#questions.filter((item) => item.questionRpcId !== frame.payload.questionRpcId));
        return;
      case "approval/requested":
        this.#askLeave(this.#approvals.filter((item) => item.approvalId !== frame.payload.approvalId).concat(frame.payload));
        return;
      case "approval/resolved":
        this.#askLeave(this.#approvals.filter((item) => item.approvalId !== frame.payload.approvalId));
        return;
    }
  }

  #tellTrouble(sessionId: string, trouble: StorageTrouble | undefined): void {
    if (trouble) this.#troubles.set(sessionId, trouble);
    else this.#troubles.delete(sessionId);
    const open = this.#open.value;
    if (open?.id === sessionId) open.trouble.value = trouble;
  }

  #askLeave(approvals: readonly PendingApproval[]): void {
    this.#approvals = approvals;
    const open = this.#open.value;
    if (open) open.approval.value = approvals.find((item) => item.sessionId === open.id);
    this.#tellWaiting();
  }

  #ask(questions: readonly PendingQuestions[]): void {
    this.#questions = questions;
    const open = this.#open.value;
    if (open) open.question.value = questions.find((item) => item.sessionId === open.id);
    this.#tellWaiting();
  }

  #tellWaiting(): void {
    this.waiting.value = new Set([...this.#questions, ...this.#approvals].map((item) => item.sessionId));
  }
}
