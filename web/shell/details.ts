// The column of details: whether it is there and what it is about. What it
// says is for the plugins that fill the slot `details`.

import { signal, type ReadonlySignal } from "@preact/signals";
import { address, noteEvent } from "../model/address";

export interface Details {
  /** The session that they are about; another one on the page closes them. */
  readonly sessionId: string;
  /** Seq of the event that is told of; undefined while nothing is chosen. */
  readonly event: number | undefined;
}

const current = signal<Details | undefined>(undefined);
const asked = signal(0);
/** Where the focus goes when they close, if it would be lost. */
let back: (() => void) | undefined;

/** What the details are about; undefined while they are closed. */
export const details: ReadonlySignal<Details | undefined> = current;

/** Counts the requests to see them: whoever asks again wants to see them even where the column had no room. */
export const detailsAsked: ReadonlySignal<number> = asked;

/**
 * Opens the details of an event of the open session, or without one the empty column. `giveBack` moves the focus when they
 * close; without it, it returns to the element that has it now.
 */
export function showDetails(event: number | undefined, giveBack?: () => void): void {
  const { sessionId } = address.peek();
  if (sessionId === undefined) return;
  const from = document.activeElement;
  if (giveBack) back = giveBack;
  else if (from instanceof HTMLElement && !from.closest("[data-details-column]")) back = () => from.focus({ preventScroll: true });
  current.value = { sessionId, event };
  asked.value++;
}

/** The same column, about another event; nothing where it is closed. */
export function turnDetails(event: number): void {
  if (current.peek()) current.value = { ...current.peek()!, event };
}

/** Closes the details and, in a view that names their event in the address, takes it out. The focus goes back where it came from. */
export function closeDetails(): void {
  if (!current.peek()) return;
  current.value = undefined;
  if (address.peek().view !== "") noteEvent(undefined);
  back?.();
  back = undefined;
}

/** Another session is on the page: the details go, and the focus is its own. */
export function leaveDetails(): void {
  current.value = undefined;
  back = undefined;
}
