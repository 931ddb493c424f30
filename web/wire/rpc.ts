// Unary calls: POST /api/<method>, one JSON envelope each way.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { AnswerValue, DecisionValue, ErrorCode, JsonObject, Methods, Receipt, RefusalReason } from "./types";
import { newId } from "./id";

/** How long a call may take before it counts as failed. */
const timeoutMs = 30_000;

/** Why a call failed: the host's reason, or that no answer came, that none was to be understood, or that the caller gave it up ("aborted"). */
export type FailureCode = ErrorCode | RefusalReason | "unreachable" | "timeout" | "aborted" | `http-${number}`;

/** A call that failed: refused by the host, never answered, or given up. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  constructor(
    readonly code: FailureCode,
    message: string,
    /** What the code says more exactly, see host/api. */
    readonly details: JsonObject = {},
  ) {
    super(message);
  }
}

/** Calls the host. `inFlight` counts calls without a settled answer. */
export interface Rpc {
  readonly inFlight: ReadonlySignal<number>;
  /** Answers a request of the host: with a value, or undefined to dismiss it. Rejects with an RpcError, also when the host doesn't take the answer ("not-pending", "bad-response"). */
  respond(rpcId: string, value: AnswerValue | DecisionValue | undefined): Promise<void>;
  /** Resolves to the method's value or rejects with an RpcError. `rpcId` names the call; by default a fresh id does. `signal` gives it up. */
  call<M extends keyof Methods>(method: M, payload: Methods[M][0], rpcId?: string, signal?: AbortSignal): Promise<Methods[M][1]>;
}

export function createRpc(): Rpc {
  const inFlight = signal(0);
  return {
    inFlight,
    async call(method, payload, rpcId = newId(), signal) {
      inFlight.value++;
      try {
        return (await exchange(method, payload, rpcId, signal)) as never;
      } finally {
        inFlight.value--;
      }
    },
    async respond(rpcId, value) {
      inFlight.value++;
      try {
        const result = value === undefined ? { ok: false, error: { code: "cancelled", message: "dismissed", details: {} } } : { ok: true, value };
        const receipt = parse(await post("respond", { type: "client-response", rpcId, result })) as Partial<Receipt>;
        if (receipt.accepted !== true) throw new RpcError(receipt.reason ?? "bad-response", "");
      } finally {
        inFlight.value--;
      }
    },
  };
}

async function exchange(method: string, payload: unknown, rpcId: string, signal?: AbortSignal): Promise<unknown> {
  return settle(await post(method, { type: "client-request", rpcId, method, payload }, signal), rpcId);
}

async function post(method: string, envelope: unknown, signal?: AbortSignal): Promise<string> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`/api/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(envelope, wellFormed),
      signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) : AbortSignal.timeout(timeoutMs),
    });
    text = await response.text();
  } catch (cause) {
    const code = signal?.aborted ? "aborted" : cause instanceof DOMException && cause.name === "TimeoutError" ? "timeout" : "unreachable";
    throw new RpcError(code, cause instanceof Error ? cause.message : String(cause));
  }
  if (!response.ok) throw new RpcError(`http-${response.status}`, text.slice(0, 200));
  return text;
}

/** Half of a surrogate pair, which a cut paste can leave, is no text that JSON can carry to the host: it becomes U+FFFD. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError("bad-response", "The answer is not JSON.");
  }
}

function settle(text: string, rpcId: string): unknown {
  const envelope = parse(text) as { rpcId?: unknown; result?: { ok?: unknown; value?: unknown; error?: { code?: unknown; message?: unknown; details?: JsonObject } } };
  const result = envelope.result;
  if (!result) throw new RpcError("bad-response", "The answer has no result.");
  if (result.ok !== true) throw new RpcError((result.error?.code ?? "internal") as ErrorCode, String(result.error?.message ?? ""), result.error?.details);
  if (envelope.rpcId !== rpcId) throw new RpcError("bad-response", "The answer belongs to another call.");
  return result.value;
}
