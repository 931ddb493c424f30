import type { Token, Tokens } from "marked";
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { CopyButton, part } from "keylane";
import { BlockSplitter } from "./blocks";
import { t } from "./messages";
import { hasFormula, renderBlock, rowsShown } from "./render";

const math = part("math", () => import("./math"));
const highlighting = part("highlighting", () => import("./highlight"));

/** Markdown that may still grow: only the blocks at its end are rendered again. */
export function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  const splitter = useRef<BlockSplitter>(undefined);
  splitter.current ??= new BlockSplitter();
  const blocks = splitter.current.update(text, streaming);
  return (
    <div class="markdown">
      {blocks.map((block, position) => {
        switch (block.token.type) {
          case "code":
            return <CodeBlock key={position} code={block.token as Tokens.Code} closed={block.closed} />;
          case "table":
            return <TableBlock key={position} table={block.token as Tokens.Table} />;
          default:
            return <HtmlBlock key={position} token={block.token} />;
        }
      })}
    </div>
  );
}

function HtmlBlock({ token }: { token: Token }) {
  const formulas = useMemo(() => hasFormula(token), [token.raw]);
  useLayoutEffect(() => {
    if (formulas) math.need();
  }, [formulas]);
  const writer = formulas ? math.value.value?.mathML : undefined;
  const html = useMemo(() => renderBlock(token, writer), [token.raw, writer]);
  return <div class="markdown-block" data-block={token.type} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** A table scrolls inside its own box, and a huge one shows its first rows. */
function TableBlock({ table }: { table: Tokens.Table }) {
  const all = useSignal(false);
  const shown = rowsShown(table);
  const part = useMemo(() => (all.value || shown === table.rows.length ? table : { ...table, rows: table.rows.slice(0, shown) }), [table.raw, all.value]);
  return (
    <div class="markdown-table">
      <HtmlBlock token={part === table ? table : { ...part, raw: `${shown} ${table.raw}` }} />
      {shown < table.rows.length && (
        <button type="button" class="card-more" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
          {all.value ? t("showLess") : t("showAllRows", { n: table.rows.length - shown })}
        </button>
      )}
    </div>
  );
}

function CodeBlock({ code, closed }: { code: Tokens.Code; closed: boolean }) {
  const language = (code.lang ?? "").split(/\s/, 1)[0] ?? "";
  const named = closed && language !== "";
  useLayoutEffect(() => {
    if (named) highlighting.need();
  }, [named]);
  const highlight = highlighting.value.value?.highlight;
  const html = useMemo(() => (named ? highlight?.(code.text, language) : undefined), [code.raw, named, highlight]);
  return (
    <div class="code">
      <div class="code-head">
        <span>{language}</span>
        <CopyButton label={t("copyCode")} copied={t("copied")} failed={t("copyFailed")} text={() => code.text} />
      </div>
      <pre>{html === undefined ? <code>{code.text}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}</pre>
    </div>
  );
}
