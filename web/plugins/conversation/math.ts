// TeX to MathML, in a bundle of its own: it is fetched when a message has a formula.

import temml from "temml";

/** MathML of a formula, undefined for one that isn't understood. It still has to pass the allow-list. */
export function mathML(tex: string, display: boolean): string | undefined {
  try {
    const written = temml.renderToString(tex, { displayMode: display, throwOnError: true, trust: false, maxExpand: 500, maxSize: [20, 20] });
    // The page's policy knows no styles but its own, and minds them as soon as text is parsed. In text, < and > are escaped.
    return written.replaceAll(/<[^>]*>/g, (tag) => tag.replaceAll(/ style="[^"]*"/g, ""));
  } catch {
    return undefined;
  }
}
