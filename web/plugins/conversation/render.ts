// Markdown to safe HTML. What a model writes is text from a stranger: raw HTML
// is shown, not obeyed; pictures become links; only web and mail links work;
// and what comes out passes an allow-list once more.

import DOMPurify from "dompurify";
import { Marked, type Token } from "marked";

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeText(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    image: ({ href, text }) => anchor(href, escapeText(text || href)),
    link({ href, tokens }) {
      return anchor(href, this.parser.parseInline(tokens));
    },
  },
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

const allowed = {
  ALLOWED_TAGS: ["a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"],
  ALLOWED_ATTR: ["align", "class", "href", "rel", "start", "target"],
  ADD_URI_SAFE_ATTR: ["align", "rel", "start", "target"], // not addresses, so not held to the next line
  ALLOWED_URI_REGEXP: /^(https?:|mailto:)/i,
};

/** Passes HTML through the allow-list. */
export function sanitize(html: string): string {
  return DOMPurify.sanitize(html, allowed);
}

/** Safe HTML of one top-level block, as it was written where it is nested too deep to be laid out. */
export function renderBlock(token: Token): string {
  try {
    return sanitize(marked.parser([token]));
  } catch {
    return sanitize(`<pre>${escapeText(token.raw)}</pre>`);
  }
}
