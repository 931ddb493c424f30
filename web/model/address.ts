// The page's address: which session, which view of it, and which event of its
// log. Everything that back, forward, a reload or a shared link must bring back
// lies here and nowhere else.
//
//   /                          the start page
//   /s/<session>               its conversation
//   /s/<session>/<view>        another view of it
//   ?event=<seq>               an event of its log, shown in either

import { signal, type ReadonlySignal } from "@preact/signals";

export interface Address {
  /** undefined on the start page. */
  readonly sessionId: string | undefined;
  /** "" is the conversation. */
  readonly view: string;
  /** Seq of the event that is asked for. */
  readonly event: number | undefined;
}

/** Reads the path and query of an address; what isn't one of ours is the start page. */
export function parseAddress(path: string, query: string): Address {
  const match = /^\/s\/([^/]+)(?:\/([a-z][a-z-]*))?$/.exec(path);
  const sessionId = match?.[1] === undefined ? undefined : decoded(match[1]);
  if (sessionId === undefined) return { sessionId, view: "", event: undefined };
  const event = new URLSearchParams(query).get("event") ?? "";
  return { sessionId, view: match?.[2] ?? "", event: /^\d{1,15}$/.test(event) ? Number(event) : undefined };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // a percent sign that encodes nothing
  }
}

/** The path and query of an address: what parseAddress reads. */
export function formatAddress({ sessionId, view, event }: Address): string {
  if (sessionId === undefined) return "/";
  return `/s/${encodeURIComponent(sessionId)}${view && `/${view}`}${event === undefined ? "" : `?event=${event}`}`;
}

const current = signal<Address>(parseAddress(location.pathname, location.search));
addEventListener("popstate", () => (current.value = parseAddress(location.pathname, location.search)));

/** Where the page is. */
export const address: ReadonlySignal<Address> = current;

/** Goes to an address: a step that back undoes. */
export function go(to: Address): void {
  const path = formatAddress(to);
  if (location.pathname + location.search === path) return;
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Shows a view of the open session, at an event of its log if one is named. */
export function openView(view: string, event?: number): void {
  go({ sessionId: current.peek().sessionId, view, event });
}

/** Notes in the address which event is shown, without a step for back. */
export function noteEvent(event: number | undefined): void {
  const to = { ...current.peek(), event };
  if (to.sessionId === undefined || to.event === current.peek().event) return;
  history.replaceState(history.state, "", formatAddress(to));
  current.value = to;
}
