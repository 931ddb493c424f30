import { useSignal } from "@preact/signals";
import { CopyButton, type ToolRow } from "keylane";
import { t } from "./messages";

/** Lines shown before "show all", and how many more may be shown rather than hidden for so little. */
const shownLines = 16;
const slack = 8;

/** Control sequences of a terminal: colours, cursor movements, titles. */
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** What a line came to: a carriage return goes back to its start, as a progress bar does to write itself anew. */
function overwritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

/** A command and what it printed. */
export function Terminal({ row, command }: { row: ToolRow; command: string }) {
  const pending = row.state === "running" || row.state === "preparing";
  const output = row.result.replace(escapes, "").split("\n").map(overwritten).join("\n").replace(/\n+$/, "");
  return (
    <div class="card" role="group" aria-label={t("terminal")}>
      <div class="card-head">
        <pre class="card-command"><span aria-hidden="true" class="card-prompt">$ </span><code>{command}</code></pre>
        {!pending && output !== "" && <CopyButton label={t("copyOutput")} copied={t("copied")} failed={t("copyFailed")} text={() => row.result} />}
      </div>
      {output === "" ? <p class="card-empty">{pending ? t("waitingOutput") : t("noOutput")}</p> : <Capped text={output} />}
    </div>
  );
}

/** Text of a call that no card is made for. */
export function Card({ label, text }: { label: string; text: string }) {
  return (
    <div class="card" role="group" aria-label={label}>
      <p class="card-label">{label}</p>
      <Capped text={text} />
    </div>
  );
}

function Capped({ text }: { text: string }) {
  const all = useSignal(false);
  const lines = text.split("\n");
  const long = lines.length > shownLines + slack;
  return (
    <>
      <pre class="card-output"><code>{long && !all.value ? lines.slice(0, shownLines).join("\n") : text}</code></pre>
      {long && (
        <button type="button" class="card-more" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
          {all.value ? t("showLess") : t("showAll", { n: lines.length })}
        </button>
      )}
    </>
  );
}
