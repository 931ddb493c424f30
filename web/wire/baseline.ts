// What a reader of the session stream is told when it opens, kept up to date from
// the frames that follow: the host's open order (sessions, questions and approvals
// that wait, queues, logs that cannot be stored) as of the last frame. From it a tab that comes late begins
// as if it had opened a stream of its own.
//
// It is as large as what is open at the host: a line for each session that was
// attached, and what waits in it.

import type { Frame, Received } from "./stream";

/** A frame that is kept as the host wrote it, and the session it belongs to. */
interface Kept {
  readonly session: string;
  readonly received: Received;
}

export class Baseline {
  /** How far each session's log reaches, in the order of attachment. */
  readonly #sessions = new Map<string, number>();
  readonly #questions = new Map<string, Kept>();
  readonly #approvals = new Map<string, Kept>();
  readonly #queues = new Map<string, Kept>();
  /** Logs that cannot be stored for now. */
  readonly #troubles = new Map<string, Kept>();

  /** Takes in the next frame of the session stream. */
  take(received: Received): void {
    const { frame } = received;
    if (!frame) return;
    if (frame.method === "resync") {
      for (const all of [this.#sessions, this.#questions, this.#approvals, this.#queues, this.#troubles]) all.clear();
      return;
    }
    const session = text(frame, "sessionId");
    const kept: Kept = { session, received };
    switch (frame.method) {
      case "session/subscribed":
        this.#drop(session);
        this.#sessions.set(session, frame.payload["lastSeq"] as number);
        return;
      case "session/event":
        this.#sessions.set(session, (frame.payload["event"] as { readonly seq: number }).seq);
        return;
      case "session/queue":
        this.#queues.set(session, kept);
        return;
      case "session/storage":
        if (frame.payload["trouble"] === undefined) this.#troubles.delete(session);
        else this.#troubles.set(session, kept);
        return;
      case "question/requested":
        this.#questions.set(text(frame, "questionRpcId"), kept);
        return;
      case "question/resolved":
        this.#questions.delete(text(frame, "questionRpcId"));
        return;
      case "approval/requested":
        this.#approvals.set(text(frame, "approvalId"), kept);
        return;
      case "approval/resolved":
        this.#approvals.delete(text(frame, "approvalId"));
        return;
    }
  }

  /** A session is gone for good, which only the host stream tells. */
  forget(session: string): void {
    this.#drop(session);
    this.#sessions.delete(session);
  }

  /** The frames to begin with, in the host's open order. */
  frames(): readonly Received[] {
    const subscribed = [...this.#sessions].map(([sessionId, lastSeq]) => written("session/subscribed", { sessionId, lastSeq }));
    return [...subscribed, ...[this.#troubles, this.#questions, this.#approvals, this.#queues].flatMap((kept) => [...kept.values()].map((each) => each.received))];
  }

  /** A session that is attached anew has nothing that waits, until frames say otherwise. */
  #drop(session: string): void {
    for (const all of [this.#questions, this.#approvals, this.#queues, this.#troubles]) {
      for (const [key, kept] of all) if (kept.session === session) all.delete(key);
    }
  }
}

/** A frame that this page writes itself, in the host's form. */
export function written(method: string, payload: Frame["payload"]): Received {
  return { text: JSON.stringify({ type: "server-request", rpcId: "", method, payload }), frame: { method, payload } };
}

function text(frame: Frame, key: string): string {
  return frame.payload[key] as string;
}
