// Where the frames of both streams come from: the page's own pair (local.ts), or
// the one that all tabs share (shared.ts). connection.ts sees no difference.

import type { Received } from "./stream";
import type { StreamName } from "./types";

/**
 * How a pair of streams is: "opening" for the first time, or after it was given
 * back on purpose; "open", both of them; "lost" until it is open again.
 */
export type PairState = "opening" | "open" | "lost";

/** Who is told. The calls come in the order in which things happened. */
export interface Sink {
  state(state: PairState): void;
  received(stream: StreamName, items: readonly Received[]): void;
}

export interface Source {
  /** Ends it for good; the sink hears nothing more. */
  close(): void;
}
