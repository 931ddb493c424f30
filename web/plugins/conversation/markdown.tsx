import type { Token, Tokens } from "marked";
import { useMemo, useRef } from "preact/hooks";
import { CopyButton } from "keylane";
import { BlockSplitter } from "./blocks";
import { highlight } from "./highlight";
import { t } from "./messages";
import { renderBlock } from "./render";

/** Markdown that may still grow: only the blocks at its end are rendered again. */
export function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  const splitter = useRef<BlockSplitter>(undefined);
  splitter.current ??= new BlockSplitter();
  const blocks = splitter.current.update(text, streaming);
  return (
    <div class="markdown">
      {blocks.map((block, position) =>
        block.token.type === "code" ? (
          <CodeBlock key={position} code={block.token as Tokens.Code} closed={block.closed} />
        ) : (
          <HtmlBlock key={position} token={block.token} />
        ),
      )}
    </div>
  );
}

function HtmlBlock({ token }: { token: Token }) {
  const html = useMemo(() => renderBlock(token), [token.raw]);
  return <div class="markdown-block" data-block={token.type} dangerouslySetInnerHTML={{ __html: html }} />;
}

function CodeBlock({ code, closed }: { code: Tokens.Code; closed: boolean }) {
  const language = (code.lang ?? "").split(/\s/, 1)[0] ?? "";
  const html = useMemo(() => (closed ? highlight(code.text, language) : undefined), [code.raw, closed]);
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
