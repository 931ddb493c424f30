// Whether the sidebar is there, and how any part of the page gets it there.

import { signal } from "@preact/signals";

/** Below this width the sidebar is a drawer over the conversation. */
export const narrow = matchMedia("(max-width: 767px)");

export const sidebarOpen = signal(!narrow.matches);

/** Opens the sidebar; what is in it can have the focus from the next frame on. */
export function showSidebar(): void {
  sidebarOpen.value = true;
}
