import type { ComponentChildren } from "preact";
import { FileCard, useCapped } from "./card";
import type { Change, ChangeLine } from "./changes";
import { t } from "./messages";

/** What an edit or a write changed. Added and removed lines are said as well as coloured. */
export function DiffView({ change }: { change: Change }) {
  const { count, more } = useCapped(change.lines.length);
  const counts = [change.added > 0 && t("linesAdded", { n: change.added }), change.removed > 0 && t("linesRemoved", { n: change.removed })].filter((text) => text !== false);
  const note = [change.action === "created" ? t("newFile") : "", ...counts].filter((text) => text !== "").join(", ");
  const lines = change.lines.slice(0, count);
  // The first place is said only where the change doesn't begin with the file.
  const shown = lines.filter((line, index) => line.kind !== "place" || index > 0 || line.number > 1);
  return (
    <FileCard label={t("changes")} path={change.path} note={note || t("noChanges")} copy={shown.length > 0 ? { label: t("copyDiff"), text: change.unified } : undefined}>
      {shown.length > 0 && <div class="diff"><div class="diff-lines">{shown.map((line, index) => <Line key={index} line={line} />)}</div></div>}
      {change.truncated && <p class="card-empty">{t("diffTruncated")}</p>}
      {more}
    </FileCard>
  );
}

function Line({ line }: { line: ChangeLine }) {
  switch (line.kind) {
    case "place":
      return <p class="diff-place">{t("fromLine", { n: line.number })}</p>;
    case "note":
      return <p class="diff-place">{t("noLineEnd")}</p>;
    case "same":
      return <Numbered line={line} sign=" "><code>{line.text}</code></Numbered>;
    case "added":
      return <Numbered line={line} sign="+"><ins><span class="visually-hidden">{t("lineAdded")} </span><code>{line.text}</code></ins></Numbered>;
    case "removed":
      return <Numbered line={line} sign="−"><del><span class="visually-hidden">{t("lineRemoved")} </span><code>{line.text}</code></del></Numbered>;
  }
}

function Numbered({ line, sign, children }: { line: ChangeLine; sign: string; children: ComponentChildren }) {
  return (
    <div class="diff-line" data-kind={line.kind}>
      <span class="diff-number" aria-hidden="true">{line.number}</span>
      <span class="diff-sign" aria-hidden="true">{sign}</span>
      {children}
    </div>
  );
}
