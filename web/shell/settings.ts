// Whether the settings dialog is open, and how any part of the page opens it.

import { signal, type ReadonlySignal } from "@preact/signals";

const shown = signal<string | undefined>(undefined);

/** The id of the section that the dialog shows, "" for the first one; undefined while it is closed. */
export const settingsShown: ReadonlySignal<string | undefined> = shown;

/** Opens the settings dialog, or turns it to another section. When it is closed the focus returns to where it was before. */
export function openSettings(section = ""): void {
  shown.value = section;
}

/** Closes the settings dialog. */
export function closeSettings(): void {
  shown.value = undefined;
}
