// What has been typed and not sent, per session, for the life of the page.

import { signal } from "@preact/signals";

const drafts = signal<ReadonlyMap<string, string>>(new Map());

/** The draft of a session; "" names the start page. */
export function draft(sessionId: string): string {
  return drafts.value.get(sessionId) ?? "";
}

export function setDraft(sessionId: string, text: string): void {
  drafts.value = new Map(drafts.value).set(sessionId, text);
}

/** Gives a draft back after a failure, unless something new has been typed. */
export function restoreDraft(sessionId: string, text: string): void {
  if (draft(sessionId) === "") setDraft(sessionId, text);
}
