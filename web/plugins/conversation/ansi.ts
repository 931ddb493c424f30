// What a terminal would show of a command's output, line by line: colours and
// weights (SGR), a carriage return or a backspace that goes back to write
// anew, an erased line. Whatever else a terminal obeys (cursor movements,
// titles, links, the clipboard) is left out: output is text from a stranger.
// The sequences are those of ECMA-48 and of xterm's colour extensions.

/** The eight colours of the page's terminal; brighter and finer ones become the nearest of them. */
export type Hue = "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white";

export interface Style {
  readonly fore: Hue | undefined;
  /** "plain" is the page's own: text and ground are exchanged. */
  readonly ground: Hue | "plain" | undefined;
  readonly bold: boolean;
  readonly faint: boolean;
  readonly italic: boolean;
  readonly underlined: boolean;
  readonly struck: boolean;
}

/** Text of one line in one style; undefined is the plain one. */
export interface Span {
  readonly text: string;
  readonly style: Style | undefined;
}

export type Line = readonly Span[];

/** A control sequence after its introducer: parameters, intermediates, final byte. */
const sequence = /([0-?]*)[ -/]*([@-~])?/y;
/** The end of a string (title, link, clipboard): its terminator; a line break or another escape ends one that was left open. */
const stringEnd = /[\u0007\u009c\n\u001b]/g;

const introducers: ReadonlySet<string> = new Set(["]", "P", "X", "^", "_"]);

/** The lines of an output. There are as many as it has line breaks, and one more. */
export function terminalLines(output: string): readonly Line[] {
  const screen = new Screen();
  for (let position = 0; position < output.length; ) {
    const character = String.fromCodePoint(output.codePointAt(position)!);
    position += character.length;
    switch (character) {
      case "\u001b":
        position = escape(screen, output, position);
        break;
      case "\u009b":
        position = control(screen, output, position);
        break;
      case "\u0090":
      case "\u0098":
      case "\u009d":
      case "\u009e":
      case "\u009f":
        position = skipString(output, position);
        break;
      default:
        screen.put(character);
    }
  }
  return screen.finish();
}

/** The text of lines, as it can be copied. */
export function plainText(lines: readonly Line[]): string {
  return lines.map((line) => line.map((span) => span.text).join("")).join("\n");
}

function escape(screen: Screen, output: string, position: number): number {
  const next = output[position] ?? "";
  if (next === "[") return control(screen, output, position + 1);
  if (introducers.has(next)) return skipString(output, position + 1);
  // Two characters, or three where the second is an intermediate (character sets).
  if (/[ -/]/.test(next)) return position + (/[0-~]/.test(output[position + 1] ?? "") ? 2 : 1);
  return /[0-~]/.test(next) ? position + 1 : position;
}

function control(screen: Screen, output: string, position: number): number {
  sequence.lastIndex = position;
  const found = sequence.exec(output)!; // it also matches nothing
  if (found[2] === "m") screen.style(found[1]!);
  if (found[2] === "K") screen.erase(found[1]!);
  return position + found[0].length;
}

function skipString(output: string, position: number): number {
  stringEnd.lastIndex = position;
  const end = stringEnd.exec(output);
  if (!end) return output.length;
  if (end[0] === "\n") return end.index;
  if (end[0] === "\u001b") return output[end.index + 1] === "\\" ? end.index + 2 : end.index;
  return end.index + 1;
}

class Screen {
  readonly #lines: Line[] = [];
  #characters: string[] = [];
  #styles: (Style | undefined)[] = [];
  #column = 0;
  readonly #pen = new Pen();

  put(character: string): void {
    switch (character) {
      case "\n":
        this.#lines.push(this.#line());
        this.#characters = [];
        this.#styles = [];
        this.#column = 0;
        return;
      case "\r":
        this.#column = 0;
        return;
      case "\b":
        this.#column = Math.max(0, this.#column - 1);
        return;
    }
    if (character !== "\t" && /[\u0000-\u001f\u007f-\u009f]/.test(character)) return;
    this.#characters[this.#column] = character;
    this.#styles[this.#column] = this.#pen.current;
    this.#column++;
  }

  style(parameters: string): void {
    this.#pen.set(parameters);
  }

  /** Erases to the end of the line, or all of it. */
  erase(parameter: string): void {
    if (parameter === "2") this.#column = 0;
    else if (parameter !== "" && parameter !== "0") return;
    this.#characters.length = this.#column;
    this.#styles.length = this.#column;
  }

  finish(): readonly Line[] {
    return [...this.#lines, this.#line()];
  }

  #line(): Line {
    const spans: { text: string; readonly style: Style | undefined }[] = [];
    this.#characters.forEach((character, column) => {
      const last = spans.at(-1);
      const style = this.#styles[column];
      if (last && last.style === style) last.text += character;
      else spans.push({ text: character, style });
    });
    return spans;
  }
}

/** How many numbers of one sequence count. Real ones have a handful. */
const longest = 64;

const hues: readonly Hue[] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** What SGR has set. Equal settings give the same object, so that spans can be told apart by identity. */
class Pen {
  current: Style | undefined;
  readonly #known = new Map<string, Style>();
  #fore: Hue | undefined;
  #ground: Hue | undefined;
  #inverse = false;
  #flags = { bold: false, faint: false, italic: false, underlined: false, struck: false };

  set(parameters: string): void {
    // Private sequences ("?", ">") look alike and set other things.
    if (/[<=>?]/.test(parameters)) return;
    const groups = parameters.split(";", longest).map((group) => group.split(":").map((number) => (number === "" ? 0 : Number(number))));
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i]!;
      const code = group[0]!;
      if (code !== 38 && code !== 48) {
        this.#apply(code, group[1]);
        continue;
      }
      const long = group.length > 1;
      const rest = long ? group.slice(1) : groups.slice(i + 1).map((other) => other[0]!);
      const hue = rest[0] === 5 ? indexed(rest[1] ?? 0) : rest[0] === 2 ? nearest(rest.slice(long && rest.length > 4 ? 2 : 1)) : undefined;
      if (!long) i += rest[0] === 5 ? 2 : rest[0] === 2 ? 4 : 1;
      if (code === 38) this.#fore = hue;
      else this.#ground = hue;
    }
    this.current = this.#style();
  }

  #apply(code: number, kind: number | undefined): void {
    const flags = this.#flags;
    if (code === 0) {
      this.#fore = this.#ground = undefined;
      this.#inverse = false;
      this.#flags = { bold: false, faint: false, italic: false, underlined: false, struck: false };
    } else if (code === 1) flags.bold = true;
    else if (code === 2) flags.faint = true;
    else if (code === 3) flags.italic = true;
    else if (code === 4) flags.underlined = kind !== 0;
    else if (code === 7) this.#inverse = true;
    else if (code === 9) flags.struck = true;
    else if (code === 21) flags.underlined = true;
    else if (code === 22) flags.bold = flags.faint = false;
    else if (code === 23) flags.italic = false;
    else if (code === 24) flags.underlined = false;
    else if (code === 27) this.#inverse = false;
    else if (code === 29) flags.struck = false;
    else if (code === 39) this.#fore = undefined;
    else if (code === 49) this.#ground = undefined;
    else if (code >= 30 && code <= 37) this.#fore = hues[code - 30];
    else if (code >= 40 && code <= 47) this.#ground = hues[code - 40];
    else if (code >= 90 && code <= 97) this.#fore = hues[code - 90];
    else if (code >= 100 && code <= 107) this.#ground = hues[code - 100];
  }

  #style(): Style | undefined {
    const [fore, ground] = this.#inverse ? [undefined, this.#fore ?? "plain"] as const : [this.#fore, this.#ground] as const;
    const style: Style = { fore, ground, ...this.#flags };
    const key = JSON.stringify([fore ?? "", ground ?? "", ...Object.values(this.#flags)]);
    if (key === '["","",false,false,false,false,false]') return undefined;
    const known = this.#known.get(key) ?? style;
    this.#known.set(key, known);
    return known;
  }
}

/** A colour of xterm's table of 256: sixteen named ones, a cube of 6×6×6, a ramp of greys. */
function indexed(index: number): Hue | undefined {
  if (!(index <= 255)) return undefined;
  if (index < 16) return hues[index % 8];
  if (index >= 232) return grey((index - 232) * 10 + 8);
  const level = (step: number) => (step === 0 ? 0 : step * 40 + 55);
  const cube = index - 16;
  return nearest([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function grey(level: number): Hue {
  return level < 128 ? "black" : "white";
}

/** The colour that a person would call red, green and blue parts of 0 to 255 by. */
function nearest(parts: readonly number[]): Hue | undefined {
  const [red, green, blue] = [0, 1, 2].map((part) => Math.min(255, parts[part] ?? 0)) as [number, number, number];
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 40) return grey((high + low) / 2);
  const threshold = (high + low) / 2;
  return hues[(red > threshold ? 1 : 0) + (green > threshold ? 2 : 0) + (blue > threshold ? 4 : 0)];
}
