// What the root element says about the page, for anyone who must know whether
// it is up to date: a test lane, a screen recorder, a person at the inspector.
//
//   data-session       id of the open session, "" on the start page
//   data-applied       seq of the last event of it that is on screen, "-1" for none
//   data-host-applied  id of the last host frame that is on screen
//   data-lists         "loaded" once both lists have been fetched
//   data-connection    connecting | connected | reconnecting
//   data-busy          "false" only when no call is in flight, no part of the
//                      page on its way, everything received is on screen and the open session rests or
//                      waits for the person
//
// "On screen" means committed to the DOM. Preact commits in a microtask after
// the signal that caused it, and everything a component depends on is set in
// the same task as the frame that brought it; so a new task, posted when a
// signal changes, runs after the commit. "true" is set at once.

import { effect, untracked } from "@preact/signals";
import { partsLoading, type Client } from "keylane";
import type { Boot } from "./boot";

export function startRootState(client: Client, boot: Boot, root: HTMLElement): void {
  const channel = new MessageChannel();
  let posted = false;

  const set = (name: string, value: string) => {
    if (root.dataset[name] !== value) root.dataset[name] = value;
  };

  const read = () => {
    const open = client.open.value;
    const ready = open?.load.value.kind === "ready";
    const seq = open?.transcript.value.seq ?? -1;
    const owed = open?.pending.value.concat(open.queued.value).some((prompt) => prompt.state === "sending" || prompt.state === "accepted") ?? false;
    return {
      session: open?.id ?? "",
      applied: ready ? String(seq) : "-1",
      hostApplied: client.connection.cursor.host.value,
      lists: client.lists.loaded.value ? "loaded" : "",
      connection: client.connection.state.value,
      busy:
        client.rpc.inFlight.value > 0 ||
        client.connection.state.value !== "connected" ||
        boot.state.value === "loading" ||
        open?.load.value.kind === "loading" ||
        owed ||
        partsLoading.value > 0 ||
        // A turn that waits for the person rests.
        (client.running.value && open?.question.value === undefined && open?.approval.value === undefined),
    };
  };

  channel.port1.onmessage = () => {
    posted = false;
    const state = untracked(read);
    set("session", state.session);
    set("applied", state.applied);
    set("hostApplied", state.hostApplied);
    set("lists", state.lists);
    set("connection", state.connection);
    set("busy", String(state.busy));
  };

  effect(() => {
    read();
    set("busy", "true");
    if (posted) return;
    posted = true;
    channel.port2.postMessage(null);
  });
}
