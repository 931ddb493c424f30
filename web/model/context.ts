// How components reach the client, and how they ask for another session: by
// address, so that back, forward and reload work by themselves.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Client } from "./client";

export const ClientContext = createContext<Client | undefined>(undefined);

/** The page's client. Only inside the shell's tree. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("useClient: not inside the shell");
  return client;
}

/** The address of a session. */
export function sessionPath(sessionId: string): string {
  return `/s/${encodeURIComponent(sessionId)}`;
}

/** The session that an address names, undefined for the start page. */
export function sessionOf(path: string): string | undefined {
  const match = /^\/s\/([^/]+)$/.exec(path);
  return match?.[1] === undefined ? undefined : decodeURIComponent(match[1]);
}

function go(path: string): void {
  if (location.pathname === path) return;
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Navigates to a session. */
export function openSession(sessionId: string): void {
  go(sessionPath(sessionId));
}

/** Navigates to the start page, where the next prompt opens a new session. */
export function openStart(): void {
  go("/");
}
