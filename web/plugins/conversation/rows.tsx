import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button, Card, Disclosure, Icon, locale, type ContextRow, type EndingRow, type FailureRow, type Row, type TextRow, type UnknownRow } from "keylane";
import { MessageActions, PromptActions } from "./actions";
import { Compaction } from "./compaction";
import { Markdown } from "./markdown";
import { endings, t } from "./messages";
import { useOpened } from "./opened";
import { Retry } from "./retry";
import { ToolView } from "./tool";

/** `asked`: the page was asked to show this very row. */
export function RowView({ row, asked = false }: { row: Row; asked?: boolean }) {
  return (
    <div class="row" data-row-kind={row.kind} data-row-key={row.key} data-asked={asked ? "" : undefined} aria-current={asked ? "true" : undefined} data-streaming={"streaming" in row && row.streaming ? "true" : undefined}>
      <RowContent row={row} />
    </div>
  );
}

function RowContent({ row }: { row: Row }) {
  switch (row.kind) {
    case "user":
      return (
        <UserBubble text={row.text}>
          {row.attachments > 0 && <p class="user-note">{t("attachments", { n: row.attachments })}</p>}
          <PromptActions text={row.text} />
        </UserBubble>
      );
    case "text":
      return (
        <>
          <Markdown text={row.text} streaming={row.streaming} />
          {row.message && <MessageActions message={row.message} />}
        </>
      );
    case "reasoning":
      return <Reasoning row={row} />;
    case "context":
      return <Context row={row} />;
    case "tool":
      return <ToolView row={row} />;
    case "failure":
      return <Failure row={row} />;
    case "retry":
      return <Retry row={row} />;
    case "compaction":
      return <Compaction row={row} />;
    case "ending":
      return <Ending row={row} />;
    case "unknown":
      return <Unknown row={row} />;
  }
}

/** What a person asked, as they wrote it. */
export function UserBubble({ text, children }: { text: string; children: ComponentChildren }) {
  const all = useSignal(false);
  const long = text.length > longCharacters;
  const shown = long && !all.value ? `${text.slice(0, shownCharacters)}…` : text;
  return (
    <div class="user">
      <p class="user-text">{shown}</p>
      {long && (
        <Button onClick={() => (all.value = !all.value)} aria-expanded={all.value}>
          {all.value ? t("showLess") : t("showAllCharacters", { n: text.length.toLocaleString(locale.value) })}
        </Button>
      )}
      {children}
    </div>
  );
}

/** How much of a very long message is shown before it is asked for. */
const shownCharacters = 4_000;
/** A message that is only a little longer is shown whole. */
const longCharacters = 6_000;

/** Closed, it shows its first line; while it is written, its latest. */
function Reasoning({ row }: { row: TextRow }) {
  // A preview is one line of plain words.
  const lines = row.text.replaceAll(/\*\*|__|~~|`|^#+ /gm, "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const preview = (row.streaming ? lines.at(-1) : lines[0]) ?? "";
  return (
    <Disclosure icon="lightbulb" label={t("reasoning")} verb={t("reasoning")} preview={preview} open={useOpened(row.key)}>
      {() => <div class="reasoning"><Markdown text={row.text} streaming={row.streaming} /></div>}
    </Disclosure>
  );
}

/** What the host tells by itself, by its source's kind; other sources are called what they call themselves. */
const contexts = {
  "workspace-instructions": "contextInstructions",
  "skill-catalog": "contextSkills",
  "runtime-context": "contextRuntime",
} as const;

function Context({ row }: { row: ContextRow }) {
  const kind = Object.hasOwn(contexts, row.source) ? t(contexts[row.source as keyof typeof contexts]) : "";
  const label = t("contextLabel", { source: kind || row.source });
  return (
    <Disclosure icon="layers" label={label} verb={kind || t("context")} object={kind ? "" : row.source} open={useOpened(row.key)}>
      {() => <pre class="context" tabIndex={0} role="group" aria-label={label}>{row.text}</pre>}
    </Disclosure>
  );
}

/** An event that this page has no row for is named rather than hidden. */
function Unknown({ row }: { row: UnknownRow }) {
  return (
    <Disclosure icon="circle-dot" label={t("unknownLabel", { type: row.type })} verb={t("unknown")} object={row.type} open={useOpened(row.key)}>
      {() => <Card label={t("unknownData")} text={JSON.stringify(row.data, null, 2)} />}
    </Disclosure>
  );
}

/** What happened, what was kept, what to do. */
function Failure({ row }: { row: FailureRow }) {
  return (
    <div class="turn-failure" role="status">
      <span class="turn-icon"><Icon name="triangle-alert" /></span>
      <div>
        <p class="turn-failure-title">{t("turnFailed")}</p>
        {row.message && <p>{row.message}</p>}
        <p>{row.code === "PERSISTENCE" ? t("turnFailedUnstored") : t("turnFailedKept")} {advice(row.code)}</p>
        <p><code>{row.code}</code></p>
      </div>
    </div>
  );
}

function advice(code: string): string {
  switch (code) {
    case "AUTH":
      return t("adviceAuth");
    case "AUTH_MISSING":
      return t("adviceKey");
    case "RATE_LIMIT":
      return t("adviceRate");
    case "TRANSPORT":
    case "TIMEOUT":
      return t("adviceNetwork");
    case "NO_ADAPTER":
    case "MODEL_NOT_FOUND":
      return t("adviceModel");
    default:
      return t("adviceOther");
  }
}

function Ending({ row }: { row: EndingRow }) {
  const text = t(endings[row.ending]);
  return (
    <div class="turn-ending">
      <span class="turn-icon"><Icon name={row.ending === "max-tokens" ? "scissors" : "circle-stop"} /></span>
      <p>{text}</p>
    </div>
  );
}
