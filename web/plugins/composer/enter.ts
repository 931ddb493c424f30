// What Enter does while a turn runs.

import type { PromptMode } from "keylane";

/** What Enter alone does; with Ctrl or Cmd it does the other. A preference of the person's will take this value's place. */
export const busyEnter: PromptMode = "queue";

/** How a message is sent that Enter sends; while nothing runs there is nothing to steer. */
export function modeOf(event: KeyboardEvent, running: boolean, alone: PromptMode = busyEnter): PromptMode {
  if (!running) return "queue";
  const other = alone === "queue" ? "steer" : "queue";
  return event.ctrlKey || event.metaKey ? other : alone;
}
