// How any part of the page asks for the list of shortcuts.

import { signal } from "@preact/signals";

/** Counts the requests. */
export const shortcutsAsked = signal(0);

/** Opens the list of shortcuts; the focus returns to where it is now. */
export function showShortcuts(): void {
  shortcutsAsked.value++;
}
