import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { address, Button, CopyButton, laidOut, list, locale, messageOf, object, openView, text, type Json } from "keylane";
import { t } from "./messages";
import { headerOf, type TrajectoryRecord } from "./record";
import type { Viewing } from "./viewing";
import { clock, leadOf, resultText, span, timesOf, titleOf } from "./words";

type Part = "Summary" | "Payload" | "Result" | "Schema" | "Timing";

/** The parts that a record of a kind has. */
function partsOf(record: TrajectoryRecord): readonly Part[] {
  switch (record.kind) {
    case "tool":
      return ["Summary", "Payload", "Result", "Schema", "Timing"];
    case "assistant":
    case "compaction":
      return ["Summary", "Payload", "Result", "Timing"];
    case "system":
      return ["Summary", "Payload", "Schema", "Timing"];
    default:
      return ["Summary", "Payload", "Timing"];
  }
}

/** What the log has about one record. */
export function Inspector({ viewing, record }: { viewing: Viewing; record: TrajectoryRecord }) {
  const chosen = useSignal<Part>("Summary");
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const parts = partsOf(record);
  const part = parts.includes(chosen.value) ? chosen.value : "Summary";
  const named = record.kind === "tool" || record.kind === "context" || record.kind === "unknown";
  const title = [titleOf(record, viewing.numbers.value), named ? record.name : ""].join(" ").trim();
  const onKeyDown = (event: KeyboardEvent) => {
    const current = parts.indexOf(part);
    const at = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: parts.length - 1 }[event.key];
    if (at === undefined) return;
    event.preventDefault();
    const next = (at + parts.length) % parts.length;
    chosen.value = parts[next]!;
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class="inspector" data-record={record.seq}>
      <header class="inspector-head">
        <h2>{title}</h2>
        {address.value.view === "" ? (
          <Button icon="list-end" onClick={() => openView("trajectory", record.seq)}>{t("showInTrajectory")}</Button>
        ) : (
          <Button icon="message-square" onClick={() => openView("", record.seq)}>{t("showInChat")}</Button>
        )}
      </header>
      <div class="inspector-tabs" role="tablist" aria-label={t("tabs")} ref={list} onKeyDown={onKeyDown}>
        {parts.map((each) => (
          <button
            key={each}
            type="button"
            class="tab"
            role="tab"
            id={`${id}-${each}`}
            aria-selected={each === part}
            aria-controls={`${id}-panel`}
            tabIndex={each === part ? 0 : -1}
            onClick={() => (chosen.value = each)}
          >
            {t(`tab${each}`)}
          </button>
        ))}
      </div>
      <div class="inspector-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${part}`} tabIndex={0}>
        <PartView part={part} viewing={viewing} record={record} />
      </div>
    </div>
  );
}

function PartView({ part, viewing, record }: { part: Part; viewing: Viewing; record: TrajectoryRecord }) {
  switch (part) {
    case "Summary":
      return <Summary record={record} />;
    case "Payload":
      return <Payload viewing={viewing} record={record} />;
    case "Result":
      return <Result record={record} />;
    case "Schema":
      return <Schema viewing={viewing} record={record} />;
    case "Timing":
      return <Timing record={record} />;
  }
}

/** Names with their values; those without one are left out. */
function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Block({ label, children }: { label: string; children: string }) {
  return (
    <section class="inspector-block" aria-label={label}>
      <header>
        <h3>{label}</h3>
        <CopyButton label={t("copy")} copied={t("copied")} failed={t("copyFailed")} text={() => children} />
      </header>
      <pre><code>{children}</code></pre>
    </section>
  );
}

function pretty(value: Json): string {
  return JSON.stringify(value, null, 2);
}

function count(n: number | undefined): string | undefined {
  return n === undefined ? undefined : n.toLocaleString(locale.value);
}

function Summary({ record }: { record: TrajectoryRecord }) {
  const config = object(object(record.event.data["header"])["config"]);
  const source = object(record.outcome ? messageOf(record.outcome)["source"] : undefined);
  const usage = record.usage;
  return (
    <>
      <Facts
        facts={[
          [t("fieldState"), record.state === "done" ? t("stateDone") : t(record.state)],
          [t("fieldTool"), record.kind === "tool" ? record.name : undefined],
          [t("fieldSource"), record.kind === "context" ? record.name : undefined],
          [t("fieldType"), record.kind === "unknown" ? record.name : undefined],
          [t("fieldReason"), record.kind === "system" || record.kind === "ending" ? leadOf(record) : undefined],
          [t("fieldProvider"), text(config["provider"]) || text(source["provider"])],
          [t("fieldModel"), text(config["model"]) || text(source["model"])],
          [t("fieldCode"), record.failure?.code && <code>{record.failure.code}</code>],
          [t("fieldTurn"), record.turn > 0 ? String(record.turn) : t("outside")],
          [t("fieldStep"), record.step > 0 ? String(record.step) : undefined],
          [t("fieldInput"), count(usage?.inputTokens)],
          [t("fieldCached"), count(usage?.cacheReadTokens)],
          [t("fieldOutput"), count(usage?.outputTokens)],
          [t("fieldReasoning"), count(usage?.reasoningTokens)],
          [t("fieldSeq"), `${record.event.type} · ${record.seq}`],
        ]}
      />
      {record.failure?.message && <p class="inspector-failure">{record.failure.message}</p>}
      {(record.kind === "user" || record.kind === "context" || record.kind === "assistant" || record.kind === "compaction") && record.text && <Block label={t("text")}>{record.text}</Block>}
    </>
  );
}

function Payload({ viewing, record }: { viewing: Viewing; record: TrajectoryRecord }) {
  // A tool's arguments are the model's own text: they are shown to the letter.
  if (record.kind === "tool") return <Block label={t("json")}>{laidOut(record.text)}</Block>;
  if (record.kind === "system") return <Block label={t("system_text")}>{record.text}</Block>;
  if (record.kind !== "assistant") return <Block label={t("json")}>{pretty(record.event.data)}</Block>;
  // What a request says is the log before it; of its own it has the settings in force.
  const header = headerOf(viewing.log.records.value, record);
  const config = header && object(header.event.data["header"])["config"];
  return <Block label={t("json")}>{pretty({ ...record.event.data, ...(config !== undefined && { config }) })}</Block>;
}

function Result({ record }: { record: TrajectoryRecord }) {
  const outcome = record.outcome;
  if (!outcome) return <p class="inspector-note">{t("noResult")}</p>;
  const said = record.kind === "tool" ? resultText(record) : "";
  return (
    <>
      {said && <Block label={t("text")}>{said}</Block>}
      <Block label={t("json")}>{pretty(outcome.data)}</Block>
    </>
  );
}

function Schema({ viewing, record }: { viewing: Viewing; record: TrajectoryRecord }) {
  const log = viewing.log;
  const header = record.kind === "system" ? record : headerOf(log.records.value, record);
  if (!header) {
    if (!log.hasMore.value) return <p class="inspector-note">{t("noSchema")}</p>;
    return (
      <div class="inspector-note">
        <p>{t("schemaElsewhere")}</p>
        <Button disabled={log.loading.value} onClick={() => void findHeader(viewing, record)}>{log.loading.value ? t("loadingOlder") : t("loadHeader")}</Button>
      </div>
    );
  }
  const tools = list(object(header.event.data["header"])["tools"]);
  if (record.kind === "system") return tools.length > 0 ? <Block label={t("tools_text")}>{pretty(tools)}</Block> : <p class="inspector-note">{t("noSchema")}</p>;
  const schema = tools.map(object).find((each) => text(each["name"]) === record.name);
  return schema ? <Block label={t("json")}>{pretty(schema)}</Block> : <p class="inspector-note">{t("noSchema")}</p>;
}

/** Headers are only logged when they change: the one in force may lie far back. */
async function findHeader(viewing: Viewing, record: TrajectoryRecord): Promise<void> {
  const { log } = viewing;
  while (log.hasMore.peek() && !headerOf(log.records.peek(), record)) {
    const held = log.records.peek().length;
    await log.loadOlder();
    if (log.records.peek().length === held) return;
  }
}

function Timing({ record }: { record: TrajectoryRecord }) {
  const times = timesOf(record);
  const tokens = record.usage?.outputTokens;
  const speed = times?.decoding && tokens ? (tokens / times.decoding) * 1000 : undefined;
  return (
    <Facts
      facts={[
        [t("fieldStart"), clock(record.start)],
        [t("fieldFirst"), record.kind === "assistant" && record.first !== undefined ? clock(record.first) : undefined],
        [t("fieldEnd"), record.end === undefined ? undefined : clock(record.end)],
        [record.kind === "retry" ? t("fieldDelay") : t("fieldTotal"), times && span(times.total)],
        [t("fieldTTFT"), times?.ttft === undefined ? undefined : span(times.ttft)],
        [t("fieldDecoding"), times?.decoding === undefined ? undefined : span(times.decoding)],
        [t("fieldWaited"), record.waited > 0 ? span(record.waited) : undefined],
        [t("fieldSpeed"), speed === undefined ? undefined : t("speed", { n: speed.toLocaleString(locale.value, { maximumFractionDigits: 1 }) })],
      ]}
    />
  );
}
