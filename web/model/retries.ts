// The rows of model calls that failed and are made again: one for each step.

import type { SessionEvent } from "../wire/types";
import type { AnswerRows } from "./answers";
import { integer, object, text } from "./events";
import type { RetryRow } from "./rows";
import type { RowTable } from "./rowtable";

export class RetryRows {
  /** The retry that older logs make in a turn of its own: its row, and the row of the failure that it undoes. */
  #deferred: { readonly retry: string; readonly failure: string } | undefined;
  /** The retry row of the turn before, while this turn is its attempt. */
  #carried = "";

  constructor(
    readonly table: RowTable,
    readonly answers: AnswerRows,
  ) {}

  /** A call failed and will be made again: what it had said is forgotten. */
  wait(event: SessionEvent): void {
    this.answers.dropAttempt();
    const failure = object(event.data["failure"]);
    const delayMs = integer(event.data["delayMs"]) ?? 0;
    this.table.put({
      kind: "retry", key: this.#key, state: "waiting", retry: integer(event.data["retry"]) ?? 1, max: integer(event.data["maxRetries"]),
      code: text(failure["code"]) || "UNKNOWN", message: text(failure["message"]), delayMs, startsAt: event.time + delayMs,
    });
  }

  /** The key of the step's retry that waits to begin, "" for none. */
  get waiting(): string {
    const row = this.table.get(this.#key);
    return row?.kind === "retry" && row.state === "waiting" ? row.key : "";
  }

  /** Older logs end the failed turn, and retry in the next one: then that failure was not the end. */
  beginTurn(retries: boolean): void {
    const deferred = this.#deferred;
    this.#deferred = undefined;
    this.#carried = retries && deferred ? deferred.retry : "";
    if (this.#carried === "") return;
    const row = this.table.get(this.#carried);
    if (row?.kind === "retry") this.table.put({ ...row, state: "running" });
    this.table.keep((each) => each.key !== deferred?.failure);
  }

  /** What has become of the step's retry, if it has one. */
  settle(state: RetryRow["state"]): void {
    const row = this.table.get(this.#key);
    if (row?.kind === "retry" && (row.state === "waiting" || row.state === "running")) this.table.put({ ...row, state });
  }

  /** The model has answered. */
  recovered(): void {
    this.settle("recovered");
    this.#carried = "";
  }

  /** A turn ended with a failure while its retry waited: the next turn may be that retry. */
  defer(retry: string, failure: string): void {
    this.#deferred = { retry, failure };
  }

  get #key(): string {
    return this.#carried || `retry:${this.answers.call}`;
  }
}
