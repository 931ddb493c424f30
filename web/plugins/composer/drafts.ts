// What has been typed and not sent, per session. It survives a reload, see keptMap.

import { signal } from "@preact/signals";
import { keptMap, type Json, type OpenSession } from "keylane";

interface Draft {
  readonly [key: string]: Json;
  /** What is in the field. */
  readonly text: string;
  /** A text that is on its way, and the id of its prompt: it is given back unless the session has it. "" for none. */
  readonly sent: string;
  readonly rpcId: string;
}

const drafts = keptMap<Draft>("drafts", (value) => {
  const { text, sent, rpcId } = Object(value) as Partial<Draft>;
  if (typeof text !== "string" || typeof sent !== "string" || typeof rpcId !== "string") return undefined;
  return { text, sent, rpcId };
});

/** Those of which nobody knows whether they have come: they were on their way when the page before this one was left, or their answer was lost. */
const interrupted = new Map([...drafts.values.peek()].filter(([, draft]) => draft.rpcId !== ""));
for (const [id, draft] of interrupted) put(id, draft.text || draft.sent);

/** Counts what was put in there since. */
const doubts = signal(0);

function put(sessionId: string, text: string, sent = "", rpcId = ""): void {
  drafts.put(sessionId, text === "" && rpcId === "" ? undefined : { text, sent, rpcId });
}

/** The draft of a session; "" names the start page. */
export function draft(sessionId: string): string {
  return drafts.values.value.get(sessionId)?.text ?? "";
}

export function setDraft(sessionId: string, text: string): void {
  const before = drafts.values.peek().get(sessionId);
  put(sessionId, text, before?.sent, before?.rpcId);
}

/** Empties the field, and keeps the text for a reload until `arrived`. */
export function sendDraft(sessionId: string, rpcId: string): void {
  put(sessionId, "", drafts.values.peek().get(sessionId)?.text ?? "", rpcId);
}

/** What was on its way is the host's now, or has come back by another way. */
export function arrived(sessionId: string): void {
  put(sessionId, draft(sessionId));
}

/** Gives a draft back after a failure, unless something new has been typed. */
export function restoreDraft(sessionId: string, text: string): void {
  if (draft(sessionId) === "") setDraft(sessionId, text);
}

/** A text that was given back may have come all the same: no answer has. */
export function doubt(sessionId: string, text: string, rpcId: string): void {
  interrupted.set(sessionId, { text: "", sent: text, rpcId });
  doubts.value++;
}

/** Takes a draft back out of the field that may have come: the session has it, so it was sent. Returns whether there was one. */
export function settleInterrupted(session: OpenSession): boolean {
  void doubts.value; // an effect has to look again
  const was = interrupted.get(session.id);
  if (!was || !session.knows(was.rpcId)) return false;
  interrupted.delete(session.id);
  if (was.text === "" && draft(session.id) === was.sent) setDraft(session.id, "");
  return true;
}
