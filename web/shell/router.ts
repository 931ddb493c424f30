// The address and the open session follow each other.

import { effect } from "@preact/signals";
import type { Client } from "keylane";
import { openSession, sessionOf } from "keylane";

export function startRouter(client: Client): void {
  const follow = () => client.show(sessionOf(location.pathname));
  addEventListener("popstate", follow);
  follow();
  effect(() => {
    // A session that a first prompt created: it gets its address.
    const open = client.open.value;
    if (open && sessionOf(location.pathname) !== open.id) openSession(open.id);
  });
}
