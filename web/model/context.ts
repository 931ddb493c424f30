// How components reach the client, and how they ask for another session: by
// address, so that back, forward and reload work by themselves.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { formatAddress, go, parseAddress } from "./address";
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
  return formatAddress({ sessionId, view: "", event: undefined });
}

/** The session that an address names, undefined for the start page. */
export function sessionOf(path: string): string | undefined {
  return parseAddress(path, "").sessionId;
}

/** Navigates to a session. */
export function openSession(sessionId: string): void {
  go({ sessionId, view: "", event: undefined });
}

/** Navigates to the start page, where the next prompt opens a new session. */
export function openStart(): void {
  go({ sessionId: undefined, view: "", event: undefined });
}
