// Markdown that is still being written ends in the middle of something: a
// mark whose other half has not come, a fence of two backticks, a table whose
// second line is missing. This makes of such a text the one that is meant, as
// far as that can be told, so that no marks flash up and vanish again. Only
// the end is touched, and never inside a fence.

/** What to show of a growing text. */
export function formed(text: string): string {
  if (insideFence(text)) return text.replace(/\n[ \t]*(?:`+|~+)$/, "");
  const start = text.lastIndexOf("\n\n") + 1;
  const kept = text.slice(0, start);
  const end = formedTable(withoutFormingLine(text.slice(start)));
  const from = spanStart(end);
  return kept + end.slice(0, from) + closed(end.slice(from));
}

/** Where the last run of text begins that marks can span: a paragraph, an item, a heading, a cell. */
function spanStart(text: string): number {
  let start = 0;
  let offset = 0;
  for (const line of text.split("\n")) {
    const mark = /^[ \t>]*(?:#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+)/.exec(line)?.[0];
    if (/^ {0,3}\|/.test(line)) start = offset + line.lastIndexOf("|") + 1;
    else if (mark !== undefined) start = offset + mark.length;
    offset += line.length + 1;
    // What follows a heading is something else.
    if (mark?.includes("#") && offset <= text.length) start = offset;
  }
  return start;
}

function insideFence(text: string): boolean {
  let fence = "";
  for (const [, indent, marks, rest] of text.matchAll(/^([ \t]*(?:>[ \t]*|[-*+][ \t]+|\d+[.)][ \t]+)*)(`{3,}|~{3,})([^\n]*)(?=\n)/gm)) {
    if (indent === undefined || marks === undefined || rest === undefined) continue;
    if (fence === "") {
      if (marks[0] === "~" || !rest.includes("`")) fence = marks;
    } else if (marks[0] === fence[0] && marks.length >= fence.length && rest.trim() === "") {
      fence = "";
    }
  }
  return fence !== "";
}

/** A last line of nothing but marks may still become anything. */
function withoutFormingLine(text: string): string {
  return text.replace(/(?:^|\n)[ \t>]*(?:`{1,}[\w+#.-]*|~{1,}[\w+#.-]*|#{1,6}[ \t]*|(?:[-*+]|\d{1,9}[.)]?)[ \t]*(?:\[[ xX]?\]?)?|[-=_*]+|\${1,2}|\\)$/, (line) => (line.startsWith("\n") ? "\n" : ""));
}

/** A line of cells is a table's first: the line of dashes will come. */
function formedTable(text: string): string {
  const found = /(?:^|\n)( {0,3}\|[^\n]*)(?:\n {0,3}\|?[-:| \t]*)?$/.exec(text);
  if (!found?.[1] || found.index > 0) return text;
  const head = found[1].trim().replace(/\|?$/, "|");
  const columns = head.replaceAll(/\\./g, "").split("|").length - 2;
  if (columns < 1) return "";
  const second = text.split("\n")[1];
  const whole = second !== undefined && /^ {0,3}\|(?:[ \t]*:?-+:?[ \t]*\|)+$/.test(second) && second.split("|").length - 2 === columns;
  return whole ? text : `${head}\n|${" --- |".repeat(columns)}`;
}

/** The text with its open marks closed, or without them where nothing follows yet. */
function closed(text: string): string {
  const open: { readonly mark: string; readonly at: number }[] = [];
  let position = 0;
  while (position < text.length) {
    const rest = text.slice(position);
    const before = text[position - 1] ?? " ";
    const found = /^(?:\\.|`+|\$\$|\$|\*{1,3}|_{1,3}|~~|~$|!?\[|<)/s.exec(rest)?.[0];
    if (found === undefined) {
      position++;
      continue;
    }
    if (found.startsWith("\\") && found.length > 1) {
      position += 2;
      continue;
    }
    if (found.startsWith("`")) {
      const end = new RegExp(`(?<!\`)${found}(?!\`)`).exec(rest.slice(found.length));
      if (!end) return finish(text, open, rest.length > found.length ? found : "", rest.length > found.length ? text.length : position);
      position += found.length + end.index + found.length;
      continue;
    }
    if (found === "[" || found === "![") {
      const link = /^!?\[((?:[^[\]\\\n]|\\.)*)(\](\((?:[^()\\\n]|\\.|\([^()\n]*\))*(\)?))?)?/s.exec(rest)!;
      const reaches = link[0].length === rest.length;
      // A link whose address has not ended shows its words.
      if (reaches && (link[2] === undefined || (link[3] !== undefined && link[4] === ""))) return finish(text.slice(0, position) + link[1]!, open, "", Infinity);
      position += link[2] !== undefined && link[4] === ")" ? link[0].length : found.length;
      continue;
    }
    if (/^[*_~]/.test(found)) {
      const after = rest[found.length] ?? " ";
      const inWord = found[0] === "_" && /\w/.test(before) && /\w/.test(after);
      const last = open.at(-1);
      if (last && !/\s/.test(before) && found.length >= last.mark.length && found.startsWith(last.mark)) {
        open.pop();
        position += last.mark.length;
        continue;
      }
      if (rest.length === found.length) return finish(text.slice(0, position), open, "", Infinity);
      if (!inWord && !/\s/.test(after)) open.push({ mark: found, at: position });
    }
    position += found.length;
  }
  return finish(text, open, "", Infinity);
}

/** Closes what is open, innermost first; nothing is closed that began where the text is cut. */
function finish(text: string, open: readonly { readonly mark: string }[], tick: string, cut: number): string {
  const body = cut === Infinity ? text : text.slice(0, cut);
  const trimmed = body.trimEnd();
  if (tick !== "") return trimmed + (trimmed.endsWith("`") ? " " : "") + tick + closers(open);
  return open.length === 0 ? body : trimmed + closers(open) + body.slice(trimmed.length);
}

function closers(open: readonly { readonly mark: string }[]): string {
  return open.map(({ mark }) => mark).reverse().join("");
}
