import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { Icon, locale, seconds, type RetryRow } from "keylane";
import { t } from "./messages";

/** That a model call failed and is made again: which attempt, when, and why. */
export function Retry({ row }: { row: RetryRow }) {
  const count = { n: row.retry, max: row.max ?? "∞" };
  const text = {
    waiting: t("retryWaiting", count),
    running: t("retryRunning", count),
    recovered: t("retryRecovered", count),
    exhausted: t("retryExhausted", count),
    cancelled: t("retryCancelled", count),
  }[row.state];
  return (
    <div class="turn-ending" data-retry={row.state}>
      <span class="turn-icon"><Icon name="refresh-cw" /></span>
      <div>
        <p>
          <span role="status">{text}</span>
          {row.state === "waiting" && <Countdown key={row.startsAt} row={row} />}
        </p>
        <p class="retry-reason">{row.message} <code>{row.code}</code></p>
      </div>
    </div>
  );
}

/** Whole seconds until the retry. A timer is no live region: nobody wants every second read out. */
function Countdown({ row }: { row: RetryRow }) {
  // The host's clock may be another one than this browser's, but no wait is longer than it was meant to be.
  const left = useSignal(Math.min(row.delayMs, Math.max(0, row.startsAt - Date.now())));
  useEffect(() => {
    const end = performance.now() + left.value;
    const ticking = setInterval(() => {
      left.value = Math.max(0, Math.ceil((end - performance.now()) / 1000)) * 1000;
      if (left.value === 0) clearInterval(ticking);
    }, 250);
    return () => clearInterval(ticking);
  }, []);
  if (left.value === 0) return null;
  return <span role="timer" class="retry-left">{t("retryCountdown", { time: seconds(left.value, locale.value) })}</span>;
}
