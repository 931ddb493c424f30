import { CopyButton, type ToolRow } from "keylane";
import { CappedText } from "./card";
import { t } from "./messages";

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
      {output === "" ? <p class="card-empty">{pending ? t("waitingOutput") : t("noOutput")}</p> : <CappedText text={output} />}
    </div>
  );
}
