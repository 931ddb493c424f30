// How wide the three columns are. What a person chose holds until the page is
// loaded again; what is shown follows from it and from the room there is, so
// that a window that becomes wide again finds everything as it was.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { narrow, sidebarOpen } from "keylane";

/** In CSS pixels. */
export interface Limits {
  readonly min: number;
  readonly max: number;
  readonly initial: number;
}

export const sidebarLimits: Limits = { min: 280, max: 420, initial: 280 };
export const detailsLimits: Limits = { min: 300, max: 520, initial: 360 };
/** The centre gets narrower than this only when there are no details to take it from. */
export const centreMin = 640;

/** What was chosen. */
export const sidebarWidth = signal(sidebarLimits.initial);
export const detailsWidth = signal(detailsLimits.initial);

const page = signal(innerWidth);
addEventListener("resize", () => (page.value = innerWidth));

/** Whether the sidebar lies over the page instead of beside it. */
export const drawer = signal(narrow.matches);
narrow.addEventListener("change", () => (drawer.value = narrow.matches));

/** What the column of details could have at most; less than its least width when there is no room for it. */
const room = computed(() => page.value - (sidebarOpen.value && !drawer.value ? sidebarWidth.value : 0) - centreMin);

/** Whether the details fit beside the centre. Where they don't, whoever asks for them gets a sheet over it. */
export const detailsFit: ReadonlySignal<boolean> = computed(() => room.value >= detailsLimits.min);

/** How wide the column may be here. */
export const detailsMax: ReadonlySignal<number> = computed(() => Math.min(detailsLimits.max, room.value));

/** How wide the column is here. */
export const detailsShown: ReadonlySignal<number> = computed(() => Math.max(detailsLimits.min, Math.min(detailsWidth.value, detailsMax.value)));
