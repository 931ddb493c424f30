import { useMemo } from "preact/hooks";
import { CopyButton, useCapped, type ToolRow } from "keylane";
import { plainText, terminalLines, type Line, type Span } from "./ansi";
import { t } from "./messages";
import "./terminal.css";

/** Lines of output before "show all". */
const shownLines = 8;

/** A command and what it printed. */
export function Terminal({ row, command }: { row: ToolRow; command: string }) {
  const pending = row.state === "running" || row.state === "waiting" || row.state === "preparing";
  const lines = useMemo(() => terminalLines(row.result), [row.result]);
  // Line breaks at the end would only be empty lines.
  const last = lines.findLastIndex((line) => line.length > 0);
  return (
    <div class="card" role="group" aria-label={t("terminal")}>
      <div class="card-head">
        <pre class="card-command"><span aria-hidden="true" class="card-prompt">$ </span><code>{command}</code></pre>
        {!pending && last >= 0 && <CopyButton label={t("copyOutput")} copied={t("copied")} failed={t("copyFailed")} text={() => plainText(lines)} />}
      </div>
      {last < 0 ? <p class="card-empty">{pending ? t("waitingOutput") : t("noOutput")}</p> : <Output lines={lines.slice(0, last + 1)} />}
    </div>
  );
}

function Output({ lines }: { lines: readonly Line[] }) {
  const { count, more } = useCapped(lines.length, shownLines);
  const spans = lines.slice(0, count).flatMap((line, index) => (index === 0 ? line : [{ text: "\n", style: undefined }, ...line]));
  return (
    <>
      <pre class="card-output"><code>{joined(spans).map((span, index) => <Styled key={index} span={span} />)}</code></pre>
      {more}
    </>
  );
}

/** Neighbours in the plain style as one: most output is one text. */
function joined(spans: readonly Span[]): readonly Span[] {
  const result: { text: string; readonly style: Span["style"] }[] = [];
  for (const { text, style } of spans) {
    const last = result.at(-1);
    if (last && last.style === style) last.text += text;
    else result.push({ text, style });
  }
  return result;
}

function Styled({ span: { text, style } }: { span: Span }) {
  if (style === undefined) return <>{text}</>;
  const flags = [style.bold && "bold", style.faint && "faint", style.italic && "italic", style.underlined && "underlined", style.struck && "struck"].filter((flag) => flag !== false);
  return <span data-fore={style.fore} data-ground={style.ground} data-style={flags.join(" ") || undefined}>{text}</span>;
}
