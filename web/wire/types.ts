// The host's vocabulary on the wire: payloads and values of the methods this
// page calls, and the frames of the two streams. Field names are the host's
// (package host/api); a method that isn't listed here isn't used by the page.

/** Lossless JSON, as the host relays it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** One event of a session's log. `seq` counts from 0 without gaps. */
export interface SessionEvent {
  readonly type: string;
  readonly seq: number;
  /** Unix milliseconds; may go backwards. */
  readonly time: number;
  readonly data: JsonObject;
  readonly surfaceOp?: Json;
}

/** A tool's presentation, computed by the host, never stored. */
export interface ToolView {
  readonly for: "call" | "result";
  readonly view: JsonObject;
}

export interface ViewedEvent {
  readonly event: SessionEvent;
  readonly view?: ToolView;
}

export interface ModelTarget {
  readonly provider: string;
  readonly model: string;
}

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  readonly contextWindow?: number;
}

export interface ProviderInfo {
  readonly id: string;
  readonly name: string;
  readonly models: readonly ModelInfo[] | null;
  /** False when a call would fail before it reached a model. */
  readonly ready: boolean;
  /** Why it isn't ready, a code such as "missing-key". */
  readonly reason?: string;
  /** Answers from a recording, needs no key. */
  readonly demo?: boolean;
  /** What a demo suggests to ask, in the order it was recorded. */
  readonly prompts?: readonly string[] | null;
}

export interface HostDescription {
  readonly version: string;
  readonly cwd: string;
  readonly home: string;
  readonly provider?: string;
  readonly model?: string;
  /** Of sessions that chose none. */
  readonly mode: Mode;
  readonly providers: readonly ProviderInfo[] | null;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly title: string;
  /** Unix milliseconds. */
  readonly updatedAt: number;
  readonly running: boolean;
  readonly blank: boolean;
  readonly cwd: string;
  /** Set when the session's file can't be read; says why. */
  readonly problem?: string;
  /** Another host that has the session open. */
  readonly lockedBy?: Holder;
}

/** A host that has a session open, so that others only read it. */
export interface Holder {
  /** 0 when it hasn't said yet who it is. */
  readonly pid: number;
  /** Unix milliseconds, like `since`, which is when it opened the session. */
  readonly hostStartedAt: number;
  readonly since: number;
}

/** A log that can't be read to its end; what is before the damage is there. */
export interface Damage {
  readonly code: "session-damaged";
  readonly file: string;
  /** The first row of the file that is no good, the header being 1. */
  readonly row: number;
  readonly byte: number;
  readonly reason: string;
  /** Rows from there on that can still be told apart, and all bytes. */
  readonly lostRows: number;
  readonly lostBytes: number;
  /** The command that puts it right. */
  readonly repair: string;
}

export interface Workspace {
  readonly workspaceId: string;
  readonly path: string;
  readonly title: string;
  readonly sessionIds: readonly string[] | null;
}

/** One entry of the agent's to-do list. */
export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

export interface HistoryPage {
  readonly events: readonly ViewedEvent[] | null;
  readonly hasMore: boolean;
  /** Another host has the session open: what it writes isn't on this host's streams. */
  readonly lockedBy?: Holder;
  readonly damage?: Damage;
  readonly projections?: {
    readonly asOfSeq: number;
    readonly values: {
      readonly title?: string;
      readonly turns?: number;
      readonly running?: boolean;
      readonly model?: ModelTarget;
      readonly todos?: readonly Todo[];
      readonly mode?: Mode;
      /** What waits in the session; the only word about it for one that isn't attached. */
      readonly queue?: readonly QueueItem[];
    };
  };
}

/** A message that waits, or that a turn has taken and the log doesn't hold yet. */
export interface QueueItem {
  readonly id: string;
  /** For a turn of its own, or for the running turn's next step. */
  readonly placement: "queued" | "steering";
  readonly message: JsonObject;
}

export interface Question {
  readonly id: string;
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** Questions of a tool call that wait for the person. */
export interface PendingQuestions {
  readonly sessionId: string;
  /** What an answer refers to; the same however often the host asks. */
  readonly questionRpcId: string;
  readonly questions: readonly Question[];
}

/** The answer to one question; without a selection and without words it was skipped. */
export interface Answer {
  readonly id: string;
  readonly selected: readonly string[];
  readonly custom?: string;
}

/** What a session may do without asking. */
export type Mode = "ask" | "read-only" | "full";

/** A tool call that waits for the person's leave. */
export interface PendingApproval {
  readonly sessionId: string;
  /** What a decision refers to; the same however often the host asks. */
  readonly approvalId: string;
  readonly toolName: string;
  readonly callId: string;
  /** What the call would do, in the form of a result's view. */
  readonly view?: JsonObject;
}

export type Decision = "allowed-once" | "allowed-session" | "rejected";
export type Content = readonly { readonly type: "text"; readonly text: string }[];

/** While a turn runs: wait for a turn of its own, or join this one at its next step. */
export type PromptMode = "queue" | "steer";

/** What can be done to a message that waits. */
export type QueueAction = { readonly kind: "edit"; readonly content: Content } | { readonly kind: "remove" } | { readonly kind: "steer" };

/** Method → [payload, value]. */
export interface Methods {
  "host.describe": [Record<string, never>, HostDescription];
  "session.list": [Record<string, never>, { readonly items: readonly SessionSummary[] | null }];
  "session.create": [{ cwd?: string; workspaceId?: string; provider?: string; model?: string }, { readonly sessionId: string }];
  "session.history": [{ sessionId: string; beforeSeq?: number; maxTurns?: number }, HistoryPage];
  "session.fork": [{ sessionId: string; atSeq?: number }, { readonly sessionId: string }];
  "session.delete": [{ sessionId: string }, Record<string, never>];
  "session.prompt": [{ sessionId: string; mode: PromptMode; content: Content }, { readonly accepted: true }];
  "session.updateQueue": [{ sessionId: string; itemId: string; action: QueueAction }, Record<string, never>];
  "session.cancel": [{ sessionId: string }, Record<string, never>];
  "session.selectModel": [{ sessionId: string; provider: string; model: string }, { readonly selected: Json }];
  "session.setMode": [{ sessionId: string; mode: Mode }, { readonly mode: Mode }];
  "workspace.list": [Record<string, never>, { readonly items: readonly Workspace[] | null }];
}

/** Frames of GET /api/events.mux. */
export type MuxFrame =
  | { readonly method: "session/subscribed"; readonly payload: { readonly sessionId: string; readonly lastSeq: number } }
  | { readonly method: "session/event"; readonly payload: { readonly sessionId: string } & ViewedEvent }
  | { readonly method: "session/queue"; readonly payload: { readonly sessionId: string; readonly items: readonly QueueItem[] | null } }
  | { readonly method: "question/requested"; readonly payload: PendingQuestions }
  | { readonly method: "question/resolved"; readonly payload: { readonly sessionId: string; readonly questionRpcId: string; readonly outcome: "answered" | "cancelled" } }
  | { readonly method: "approval/requested"; readonly payload: PendingApproval }
  | { readonly method: "approval/resolved"; readonly payload: { readonly sessionId: string; readonly approvalId: string; readonly outcome: Decision | "cancelled" } };

/** Frames of GET /api/events.host. */
export type HostFrame =
  | { readonly method: "host/session-added"; readonly payload: { readonly sessionId: string; readonly blank: boolean; readonly cwd?: string } }
  | { readonly method: "host/session-removed"; readonly payload: { readonly sessionId: string } }
  | { readonly method: "host/session-status"; readonly payload: { readonly sessionId: string; readonly running: boolean } }
  | { readonly method: "host/session-changed"; readonly payload: { readonly sessionId: string; readonly title: string; readonly updatedAt: number } }
  | { readonly method: "host/workspace-changed"; readonly payload: { readonly workspace: Workspace } };

/** What a stream says when frames are missing; epoch: the host is another run than the one that was followed. */
export interface Resync {
  readonly reason: "epoch" | "too-old" | "overflow";
}

export type StreamName = "mux" | "host";
