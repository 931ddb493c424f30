// The report as text, for whoever is asked "what do you have there?".

import type { HostReport, PluginFailure } from "keylane";

/** What is known of host and page, in English, one fact a line. A report that did not come is undefined. */
export function asText(report: HostReport | undefined, pageRev: string, failures: readonly PluginFailure[], disabled: ReadonlySet<string>, agent: string): string {
  const lines = [
    `keylane ${report?.version ?? "(the host did not answer)"}, page ${pageRev || "(unknown)"}${report ? `, ${report.goVersion} ${report.platform}` : ""}`,
    `browser: ${agent}`,
  ];
  if (report) lines.push(`home: ${report.home}`, `config: ${report.config}`);
  for (const { plugin, moment, reason } of failures) lines.push(`page part ${plugin} failed (${moment})${disabled.has(plugin) ? ", disabled" : ""}: ${reason}`);
  for (const row of report?.rows ?? []) {
    lines.push(`${row.state} ${row.id} (${row.plugin}${row.required ? ", required" : ""}) set by ${row.layer}, ${row.place}${row.reason ? `: ${row.reason}` : ""}`);
  }
  return lines.join("\n") + "\n";
}
