// The page's own pair of streams, for browsers without what the shared one needs. A
// page that nobody sees gives it back: browsers allow six connections to a host for
// all tabs together, and streams would hold them all.

import { Pair } from "./pair";
import type { Sink, Source } from "./source";

/** How long a page must be hidden before its streams are given back, in milliseconds: switching to and fro costs nothing. */
const hiddenGrace = 3_000;

export function openLocal(sink: Sink): Source {
  const pair = new Pair(sink);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveBack = () => {
    pair.stop();
    sink.state("opening");
  };
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === "hidden") timer = setTimeout(giveBack, hiddenGrace);
    else pair.start();
  };
  document.addEventListener("visibilitychange", look);
  pair.start();
  look();
  return {
    close() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
      pair.stop();
    },
  };
}
