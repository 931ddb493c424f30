// Walks through what has been sent before.

import type { OpenSession } from "keylane";

/** Where in the earlier messages the draft is; only as long as it is exactly what was recalled. */
interface Place {
  readonly sessionId: string;
  readonly back: number;
  readonly text: string;
}

export class Recall {
  #place: Place | undefined;

  /** The text to show after a step, `older` or newer; undefined when there is nothing to step to, and the key is the field's own. */
  step(session: OpenSession, draft: string, older: boolean): string | undefined {
    const place = this.#place?.sessionId === session.id && this.#place.text === draft ? this.#place : undefined;
    if (draft !== "" && !place) return undefined;
    const back = (place?.back ?? 0) + (older ? 1 : -1);
    if (back < 0) return undefined;
    const sent = sentIn(session);
    const text = back === 0 ? "" : sent.at(-back);
    if (text === undefined) return place && draft; // the oldest one stays
    this.#place = back === 0 ? undefined : { sessionId: session.id, back, text };
    return text;
  }
}

/** What the person has sent to a session, oldest first; what was sent twice in a row is there once. */
function sentIn(session: OpenSession): readonly string[] {
  const rows = session.transcript.value.rows.flatMap((row) => (row.kind === "user" && row.text !== "" ? [row.text] : []));
  const waiting = session.pending.value.concat(session.queued.value).map((item) => item.text);
  return rows.concat(waiting).filter((text, index, all) => text !== all[index - 1]);
}

/** True when an arrow key would leave the text: the caret stands on its first line, or its last. */
export function atEdge(field: HTMLTextAreaElement, older: boolean): boolean {
  if (field.selectionStart !== field.selectionEnd) return false;
  return !(older ? field.value.slice(0, field.selectionStart) : field.value.slice(field.selectionEnd)).includes("\n");
}
