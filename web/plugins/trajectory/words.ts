// What records are called, and their times in words.

import { list, locale, messageOf, object, text } from "keylane";
import { t } from "./messages";
import type { TrajectoryRecord } from "./record";

/** "Request #3", "Tool bash": the name of a record's row. */
export function titleOf(record: TrajectoryRecord, numbers: ReadonlyMap<number, number>): string {
  switch (record.kind) {
    case "assistant":
      return t("request", { n: numbers.get(record.seq) ?? 0 });
    case "retry":
      return t("retry", { n: record.name });
    default:
      return t(record.kind);
  }
}

const reasons: Readonly<Record<string, "systemInitial" | "systemResume" | "systemChange">> = { initial: "systemInitial", resume: "systemResume", change: "systemChange" };
const endings = ["aborted", "interrupted", "disposed", "max-tokens", "blocked", "error"] as const;

/** The emphasised beginning of a record's line: what its kind does not say. */
export function leadOf(record: TrajectoryRecord): string {
  switch (record.kind) {
    case "system":
      return t(reasons[record.name] ?? "systemInitial");
    case "ending": {
      const known = endings.find((name) => name === record.name);
      return known ? t(known) : record.name;
    }
    case "compaction":
      return record.state === "done" ? t("compacted") : "";
    case "retry":
      return record.failure?.code ?? "";
    case "tool":
    case "context":
    case "unknown":
      return record.name;
    case "user":
    case "assistant":
      return "";
  }
}

/** A record's text on one line, no longer than anybody sees of it. */
export function lineOf(record: TrajectoryRecord): string {
  const said = record.kind === "assistant" && record.failure ? record.failure.message || record.failure.code : record.kind === "system" ? "" : record.text;
  return oneLine(record.kind === "tool" && record.outcome ? `${said} → ${resultText(record)}` : said);
}

function oneLine(text: string): string {
  return text.slice(0, 400).replaceAll(/\s+/g, " ").trim();
}

/** What a call came to, in the words that the model read. */
export function resultText(record: TrajectoryRecord): string {
  if (!record.outcome) return "";
  const content = list(messageOf(record.outcome)["content"]).map(object);
  const block = content.find((each) => text(each["type"]) === "tool-result");
  return (block ? list(block["content"]).map(object) : content).map((each) => text(each["text"])).join("\n\n");
}

/** What a search looks at: everything that the row and the panel say of it. */
export function searched(record: TrajectoryRecord): string {
  const outcome = record.outcome ? JSON.stringify(record.outcome.data) : "";
  return `${record.kind} ${record.name} ${record.text} ${record.failure?.code ?? ""} ${record.failure?.message ?? ""} ${record.turn > 0 ? `turn ${record.turn}` : ""} ${outcome}`.toLowerCase();
}

/** "340ms", "1.2s", "2m 5s". */
export function span(ms: number): string {
  const unit = (value: number, name: string, digits = 0) =>
    new Intl.NumberFormat(locale.value, { style: "unit", unit: name, unitDisplay: "narrow", maximumFractionDigits: digits }).format(value);
  if (ms < 1000) return unit(Math.round(ms), "millisecond");
  if (ms < 60_000) return unit(ms / 1000, "second", ms < 10_000 ? 2 : 1);
  const minutes = Math.floor(ms / 60_000);
  return `${unit(minutes, "minute")} ${unit(Math.round((ms - minutes * 60_000) / 1000), "second")}`;
}

/** "14:03:07.120", in the browser's time zone. */
export function clock(time: number): string {
  return new Intl.DateTimeFormat(locale.value, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" }).format(time);
}

/** Times of a record that has an end, in milliseconds. */
export function timesOf(record: TrajectoryRecord): { readonly total: number; readonly ttft: number | undefined; readonly decoding: number | undefined } | undefined {
  if (record.end === undefined) return undefined;
  const first = record.kind === "assistant" ? record.first : undefined;
  return {
    total: Math.max(0, record.end - record.start),
    ttft: first === undefined ? undefined : Math.max(0, first - record.start),
    decoding: first === undefined ? undefined : Math.max(0, record.end - first),
  };
}

/** One line about a record's times: "14:03:07.120 → 14:03:08.300 · Total 1.18s · TTFT 340ms · Decoding 840ms". */
export function timing(record: TrajectoryRecord): string {
  const times = timesOf(record);
  if (!times || record.end === undefined) return clock(record.start);
  const parts = [t("clocks", { from: clock(record.start), to: clock(record.end) }), t("total", { time: span(times.total) })];
  if (times.ttft !== undefined) parts.push(t("ttft", { time: span(times.ttft) }));
  if (times.decoding !== undefined) parts.push(t("decoding", { time: span(times.decoding) }));
  return parts.join(" · ");
}
