// How long to wait before the next try.

/** Longest wait before retry n, in milliseconds; the actual wait is between half of it and all of it. */
export function backoffCap(retry: number): number {
  return Math.min(10_000, 500 * 2 ** (retry - 1));
}

/** Waits before retry n, or returns early when told to stop or when the machine comes back online. */
export function pauseBefore(retry: number, abort: AbortSignal, random: () => number = Math.random): Promise<void> {
  const cap = backoffCap(retry);
  return new Promise((resolve) => {
    const timer = setTimeout(done, cap / 2 + (random() * cap) / 2);
    function done() {
      clearTimeout(timer);
      abort.removeEventListener("abort", done);
      globalThis.removeEventListener("online", done);
      resolve();
    }
    abort.addEventListener("abort", done);
    globalThis.addEventListener("online", done);
    if (abort.aborted) done();
  });
}
