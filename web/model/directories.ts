// Who asks for a folder of the machine, and how. The dialog itself is plugin
// workspace's; any part of the page opens it from here.

import { signal, type ReadonlySignal } from "@preact/signals";

export interface DirectoryRequest {
  /** A folder that is near to what is wanted: the dialog begins in the one that holds it. Without it, in the person's home. */
  readonly from?: string | undefined;
  /** What is done with the folder, an absolute path, that the person opens. The dialog closes when it resolves; when it rejects, the dialog says why and stays. */
  readonly take: (path: string) => Promise<unknown>;
}

const asked = signal<DirectoryRequest | undefined>(undefined);

/** What the directory dialog is open for, undefined while it is closed. */
export const directoryAsked: ReadonlySignal<DirectoryRequest | undefined> = asked;

/** Opens the dialog "Select workspace folder". When it is closed the focus returns to where it was before. */
export function openDirectoryDialog(request: DirectoryRequest): void {
  asked.value = request;
}

/** Closes it; nothing was chosen unless `take` was called. */
export function closeDirectoryDialog(): void {
  asked.value = undefined;
}
