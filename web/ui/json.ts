// JSON laid out for reading: one member or item a line. Nothing is read into
// numbers or objects, so that long numbers and repeated keys stay as they were
// written.

/** The text of a value, or of anything that isn't one as it is. */
export function laidOut(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let result = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === "{" || token === "[") {
      depth++;
      result += token + line();
    } else if (token === "}" || token === "]") {
      depth--;
      result += line() + token;
    } else if (token === ",") {
      result += token + line();
    } else if (token === ":") {
      result += ": ";
    } else {
      result += /^[{[]/.test(token) ? token.replaceAll(/\s/g, "") : token;
    }
  }
  return result;
}
