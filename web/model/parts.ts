// Parts of the page that are fetched only when something on screen needs them.

import { signal, type ReadonlySignal } from "@preact/signals";

const count = signal(0);

/** How many parts are on their way. While there are some, the page isn't finished. */
export const partsLoading: ReadonlySignal<number> = count;

/**
 * A part that `load` fetches. `value` is undefined until it has arrived, and
 * stays so when it can't be fetched: then the page does without it, says so
 * on the console, and `failed` is true. `need` starts the fetch, once; call it
 * no later than the layout effect of what needs it.
 */
export function part<T>(name: string, load: () => Promise<T>): { readonly value: ReadonlySignal<T | undefined>; readonly failed: ReadonlySignal<boolean>; need(): void; prefetch(): void } {
  const value = signal<T | undefined>(undefined);
  const failed = signal(false);
  let asked = false;
  return {
    value,
    failed,
    prefetch() {
      // The browser keeps what it has imported: need() then has it at once, and after an update of the host this page has its own still.
      // Nobody waits for this one, so that it fails is nobody's news either.
      load().catch(() => {});
    },
    need() {
      if (asked) return;
      asked = true;
      count.value++;
      load()
        .then(
          (loaded) => {
            value.value = loaded;
          },
          (error: unknown) => {
            failed.value = true;
            console.error(`[keylane] the part ${name} could not be fetched`, error);
          },
        )
        .finally(() => count.value--);
    },
  };
}
