// The line below the composer: what the open session has cost, and how full the model's window is.

import "./stats.css";
import { inputOf, locale, useClient, type PluginScope } from "keylane";
import { t } from "./messages";

export function activate(scope: PluginScope): void {
  scope.fill("foot", StatsLine);
}

function StatsLine() {
  const client = useClient();
  const stats = client.open.value?.stats.value;
  if (!stats || stats.turns === 0) return null;
  const { used, window } = stats.context;
  const input = inputOf(stats.usage);
  return (
    <footer class="stats" aria-label={t("stats")}>
      <p class="stats-line">
        <span>{t("turns", { n: stats.turns, shown: whole(stats.turns) })}</span>
        <span>{t("steps", { n: stats.steps, shown: whole(stats.steps) })}</span>
        {used > 0 && window > 0 && <span>{t("context", { part: percent(used / window), window: short(window) })}</span>}
        {input > 0 && <span>{t("tokens", { input: short(input), output: short(stats.usage.outputTokens) })}</span>}
      </p>
    </footer>
  );
}

function whole(n: number): string {
  return new Intl.NumberFormat(locale.value).format(n);
}

/** "128K"; in Chinese "12.8万". */
function short(n: number): string {
  return new Intl.NumberFormat(locale.value, { notation: "compact", maximumFractionDigits: 1 }).format(n);
}

/** Whole percents; what is there is never none. */
function percent(part: number): string {
  return new Intl.NumberFormat(locale.value, { style: "percent" }).format(Math.max(0.01, part));
}
