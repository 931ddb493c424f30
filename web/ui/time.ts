// Times as people read them.

import { signal, type ReadonlySignal } from "@preact/signals";
import { t } from "./messages";

const clock = signal(Date.now());
setInterval(() => (clock.value = Date.now()), 30_000);

/** Unix milliseconds, moving in steps of half a minute: for relative times. */
export const now: ReadonlySignal<number> = clock;

/** Units of a relative time: largest first, each with its length in milliseconds. */
const units = [
  ["years", 365 * 86_400_000],
  ["months", 30 * 86_400_000],
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
] as const;

/** "now", "5min", "3h", "2d", "4mo", "1y" in the person's language; a time in the future is now. */
export function relativeTime(then: number, current: number): string {
  const passed = current - then;
  for (const [unit, length] of units) if (passed >= length) return t(unit, { n: Math.floor(passed / length) });
  return t("now");
}

/** "1.2s", "14s", "3m": how long something took; "" below one second, which nobody waits for. */
export function duration(ms: number, locale: string): string {
  if (ms < 1000) return "";
  const [value, unit, digits] = ms < 10_000 ? [ms / 1000, "second", 1] as const : ms < 60_000 ? [ms / 1000, "second", 0] as const : [ms / 60_000, "minute", 0] as const;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow", maximumFractionDigits: digits }).format(value);
}

/** "8s": whole seconds that are left, rounded up. */
export function seconds(ms: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: "unit", unit: "second", unitDisplay: "narrow" }).format(Math.ceil(ms / 1000));
}
