import { FileCard, useCapped, type JsonObject } from "keylane";
import { t } from "./messages";

/** What a read call returned: the lines with their numbers. */
export function FileView({ view }: { view: JsonObject }) {
  const content = string(view["content"]);
  const first = number(view["firstLine"]);
  const lines = content === "" ? [] : content.replace(/\n$/, "").split("\n");
  const { count, more } = useCapped(lines.length);
  const note = lines.length === 0 ? t("emptyFile") : t("fileLines", { first, last: number(view["lastLine"]), total: number(view["totalLines"]) });
  return (
    <FileCard label={t("file")} path={string(view["path"])} note={note} copy={lines.length > 0 ? { label: t("copyContent"), text: () => content } : undefined}>
      {lines.length > 0 && (
        <div class="card-numbered">
          <pre class="card-numbers" aria-hidden="true">{Array.from({ length: count }, (_, index) => first + index).join("\n")}</pre>
          <pre class="card-output"><code>{lines.slice(0, count).join("\n")}</code></pre>
        </div>
      )}
      {more}
    </FileCard>
  );
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
