// What Enter does with a message.

import type { PromptMode } from "keylane";

/** How a message is sent that Enter sends: `alone` is what the person prefers while a turn runs. While nothing runs there is nothing to steer. */
export function modeOf(event: KeyboardEvent, running: boolean, alone: PromptMode): PromptMode {
  if (!running) return "queue";
  return event.ctrlKey || event.metaKey ? other(alone) : alone;
}

/** What Enter does with Ctrl or Cmd. */
export function other(mode: PromptMode): PromptMode {
  return mode === "queue" ? "steer" : "queue";
}
