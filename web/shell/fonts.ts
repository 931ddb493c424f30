// When the Chinese font is asked for. What a page shows first does not wait for it.

import { effect, type ReadonlySignal } from "@preact/signals";

/**
 * Lets the link `#cjk` load: at once in a Chinese page, and in any other as soon as the page is ready and has nothing else to
 * do, because what people and models write may be Chinese everywhere.
 */
export function startFonts(language: ReadonlySignal<string>, ready: ReadonlySignal<boolean>): void {
  const link = document.getElementById("cjk") as HTMLLinkElement | null;
  if (!link) throw new Error("index.html has no #cjk");
  const load = () => {
    link.disabled = false;
  };
  effect(() => {
    if (language.value.startsWith("zh")) load();
    else if (ready.value) requestIdleCallback(load, { timeout: 1_000 });
  });
}
