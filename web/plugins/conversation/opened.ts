// Which rows a person has opened, session by session, for as long as the page
// lives: a row is as it was left when another session, or another view of this
// one, has been on screen meanwhile. A reload closes all.

import { signal, type Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The rows of one session that have been opened or closed, by their keys. */
export type Opened = Map<string, Signal<boolean>>;

const sessions = new Map<string, Opened>();

/** What is remembered of a session's rows. */
export function openedOf(sessionId: string): Opened {
  const known = sessions.get(sessionId);
  if (known) return known;
  const fresh: Opened = new Map();
  sessions.set(sessionId, fresh);
  return fresh;
}

export const OpenedContext = createContext<Opened>(new Map());

/** Whether the row of that key is open; setting it is remembered. */
export function useOpened(key: string): Signal<boolean> {
  const opened = useContext(OpenedContext);
  const known = opened.get(key);
  if (known) return known;
  const fresh = signal(false);
  opened.set(key, fresh);
  return fresh;
}
