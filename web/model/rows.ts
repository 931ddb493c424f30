// What a transcript consists of. Rows are values: a row that changes becomes a
// new object, one that doesn't keeps its identity.

import type { JsonObject } from "../wire/types";

interface RowBase {
  /** Stable for the life of the log: the same after a reload. */
  readonly key: string;
}

export interface UserRow extends RowBase {
  readonly kind: "user";
  readonly text: string;
  /** Images and other attachments, which this page names but doesn't show. */
  readonly attachments: number;
}

/** What a plugin of the host told the model in the person's place. */
export interface ContextRow extends RowBase {
  readonly kind: "context";
  readonly source: string;
  readonly text: string;
}

export interface TextRow extends RowBase {
  readonly kind: "text" | "reasoning";
  readonly text: string;
  /** More may come. */
  readonly streaming: boolean;
  /** The durable message that ends its text with this row; other rows have none. */
  readonly message?: Said;
}

/** A message of the model, as people can act on it. */
export interface Said {
  /** Of the event that holds it. */
  readonly seq: number;
  /** All that it says to the person. */
  readonly text: string;
  /** The last message of a turn that completed: a conversation can go on from here. */
  readonly ends: boolean;
}

/** Waiting: for leave. Stopped had begun to run, and so had one whose outcome is unknown, because the host ended; skipped, rejected (by the person) and refused (by the session's mode) never did. */
export type ToolState = "preparing" | "running" | "waiting" | "done" | "failed" | "stopped" | "unknown" | "skipped" | "rejected" | "refused";

export interface ToolRow extends RowBase {
  readonly kind: "tool";
  readonly callId: string;
  readonly name: string;
  /** Raw JSON text, a prefix of it while preparing. */
  readonly arguments: string;
  readonly state: ToolState;
  readonly result: string;
  /** Host-computed presentation of call and result. */
  readonly callView: JsonObject | undefined;
  readonly resultView: JsonObject | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

export interface FailureRow extends RowBase {
  readonly kind: "failure";
  readonly code: string;
  readonly message: string;
  readonly status: number | undefined;
}

/** A model call of a step that failed and is, or was, made again; one row for all retries of the step. */
export interface RetryRow extends RowBase {
  readonly kind: "retry";
  readonly state: "waiting" | "running" | "recovered" | "exhausted" | "cancelled";
  /** Which retry this is, counted from 1, and how many there may be; undefined is no bound. */
  readonly retry: number;
  readonly max: number | undefined;
  /** The failure it follows, safe to show. */
  readonly code: string;
  readonly message: string;
  /** How long the host waits before it, and when that ends by the host's clock, in Unix milliseconds. */
  readonly delayMs: number;
  readonly startsAt: number;
}

/** That the older part of the conversation has, for the model, made room for a summary. People keep seeing it. */
export interface CompactionRow extends RowBase {
  readonly kind: "compaction";
  readonly state: "running" | "done" | "stopped" | "interrupted" | "failed";
  readonly summary: string;
  /** Why it failed, safe to show. */
  readonly code: string;
  readonly message: string;
}

/** How a turn ended, when that needs saying. */
export interface EndingRow extends RowBase {
  readonly kind: "ending";
  readonly ending: "stopped" | "interrupted" | "max-tokens" | "blocked";
}

/** An event of a type that this page does not know: another version's, or a plugin's. */
export interface UnknownRow extends RowBase {
  readonly kind: "unknown";
  readonly type: string;
  readonly data: JsonObject;
}

export type Row = UserRow | ContextRow | TextRow | ToolRow | FailureRow | RetryRow | CompactionRow | EndingRow | UnknownRow;

/** A transcript at one moment. */
export interface Transcript {
  readonly rows: readonly Row[];
  /** Seq of the last event it contains, -1 for none. */
  readonly seq: number;
  /** A turn has started and not ended in the log. */
  readonly turnOpen: boolean;
  /** Turns that started, as far as the window reaches. */
  readonly turns: number;
  readonly title: string;
  /** Ids of the prompts that have become rows. */
  readonly rpcIds: ReadonlySet<string>;
}
