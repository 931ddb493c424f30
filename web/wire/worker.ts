// The shared worker: one pair of streams for all tabs of this origin. It is a
// bundle of its own, and a worker of its own for each version of it (shared.ts names it), so
// that a page never talks to a worker of another build.
//
// A tab says hello with the name of a lock that it holds as long as it lives;
// whoever waits for such a lock gets it when the holder is gone, however that came: closed,
// crashed, discarded. The worker holds one the same way, for the tabs. The
// browser ends a worker that no page uses any more, and with it its streams.

import { Fanout, type Message } from "./fanout";
import { Pair } from "./pair";
import { newId } from "./id";

/** What a tab says. */
export type FromTab = { readonly hello: string } | { readonly taken: number };

/** What the worker says: once that it is there, with the name of its lock, then messages. */
export type ToTab = { readonly welcome: string } | Message;

const fanout = new Fanout<MessagePort>((port, message) => port.postMessage(message satisfies ToTab));
const pair = new Pair(fanout);

const life = `keylane-worker-${newId()}`;
const alive = new Promise<void>((held) => {
  void navigator.locks.request(life, () => {
    held();
    return new Promise<never>(() => {});
  });
});

async function greet(port: MessagePort, lock: string): Promise<void> {
  await alive;
  port.postMessage({ welcome: life } satisfies ToTab);
  fanout.join(port);
  pair.start();
  await navigator.locks.request(lock, () => {
    fanout.leave(port);
    port.close();
    if (fanout.size > 0) return;
    pair.stop();
    fanout.state("opening"); // for whoever comes before the browser ends the worker
  });
}

globalThis.addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  port.onmessage = ({ data }: MessageEvent<FromTab>) => {
    if ("hello" in data) void greet(port, data.hello);
    else fanout.taken(port, data.taken);
  };
});
