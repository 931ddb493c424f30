// Markdown to safe HTML. What a model writes is text from a stranger: raw HTML
// is shown, not obeyed; pictures become links; only web and mail links work;
// and what comes out passes an allow-list once more.

import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";
import { formulas } from "./formula";

/** Turns TeX into MathML; undefined for a formula it doesn't understand. */
export type MathWriter = (tex: string, display: boolean) => string | undefined;

/** Who writes the formulas of the block that is being rendered. */
let writer: MathWriter | undefined;

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeText(text),
    checkbox: ({ checked }) => `<span class="task${checked ? " task-done" : ""}">${checked ? "☑" : "☐"}</span> `,
    image: ({ href, text }) => anchor(href, escapeText(text || href)),
    link({ href, tokens }) {
      return anchor(href, this.parser.parseInline(tokens));
    },
  },
  extensions: formulas((tex, display) => {
    const written = writer?.(tex, display) ?? `<code class="formula">${escapeText(tex)}</code>`;
    return display ? `<span class="formula-alone">${written}</span>` : written;
  }),
});

function anchor(href: string, content: string): string {
  return /^(https?:|mailto:)/i.test(href) ? `<a href="${escapeText(href)}" target="_blank" rel="noopener noreferrer">${content}</a>` : content;
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The top-level blocks of a text; one block of code where the parser gives up (it recurses, and nesting has no bound). */
export function lex(text: string): Token[] {
  try {
    return marked.lexer(text);
  } catch {
    return [{ type: "code", raw: text, text, lang: "" }];
  }
}

const elements = ["a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"];
const attributes = ["align", "class", "href", "rel", "start", "target"];

const allowed = {
  ALLOWED_TAGS: elements,
  ALLOWED_ATTR: attributes,
  ADD_URI_SAFE_ATTR: ["align", "rel", "start", "target"], // not addresses, so not held to the next line
  ALLOWED_URI_REGEXP: /^(https?:|mailto:)/i,
};

/** What presentation MathML needs besides. No element of it carries a link or a style. */
const mathElements = ["math", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover"];
const mathAttributes = ["accent", "accentunder", "columnspan", "depth", "display", "displaystyle", "fence", "form", "height", "largeop", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowspan", "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width"];
const allowedWithMath = {
  ...allowed,
  ALLOWED_TAGS: [...elements, ...mathElements],
  ALLOWED_ATTR: [...attributes, ...mathAttributes],
  ADD_URI_SAFE_ATTR: [...allowed.ADD_URI_SAFE_ATTR, ...mathAttributes],
};

/** Passes HTML through the allow-list. */
export function sanitize(html: string): string {
  return DOMPurify.sanitize(html, allowed);
}

/** True when the block has a formula anywhere. */
export function hasFormula(token: Token): boolean {
  let found = token.type === "displayFormula";
  if (!found) marked.walkTokens([token], (inner) => void (found ||= inner.type === "formula" || inner.type === "displayFormula"));
  return found;
}

/**
 * Safe HTML of one top-level block, as it was written where it is nested too
 * deep to be laid out. Without a writer a formula shows its TeX.
 */
export function renderBlock(token: Token, math?: MathWriter): string {
  writer = math;
  try {
    return DOMPurify.sanitize(marked.parser([token]), math ? allowedWithMath : allowed);
  } catch {
    return sanitize(`<pre>${escapeText(token.raw)}</pre>`);
  } finally {
    writer = undefined;
  }
}

/** Cells of a table before "show all": laying out tens of thousands takes seconds. */
const shownCells = 2_000;

/** How many rows of a table are shown at first; all of them where that hides only a few. */
export function rowsShown(table: Tokens.Table): number {
  const rows = Math.max(1, Math.floor(shownCells / Math.max(1, table.header.length)));
  return table.rows.length > rows * 1.5 ? rows : table.rows.length;
}
