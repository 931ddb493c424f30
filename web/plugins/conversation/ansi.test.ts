import { check, property, test } from "../../testing/testing";
import type { Random } from "../../testing/random";
import { plainText, terminalLines, type Span } from "./ansi";

const shown = (output: string) => plainText(terminalLines(output));
const first = (output: string): Span | undefined => terminalLines(output)[0]?.[0];

test("output without control characters is shown and copied as it is", () => {
  const output = "a\tb  \n\n 世界 👩‍💻 e\u0301\n";
  check.equal(shown(output), output, "text");
  check.equal(terminalLines(output)[0], [{ text: "a\tb  ", style: undefined }], "first line");
});

test("a carriage return writes over what stands there, no more", () => {
  check.equal(shown("10%\r 20%\r100%\r\nnext\r\n\rlast\r"), "100%\nnext\nlast", "text");
  check.equal(shown("abcdef\rXY"), "XYcdef", "text");
});

test("a backspace goes back, at most to the start", () => {
  check.equal(shown("\b\b|\b/\b-\b\\ done"), "\\ done", "text");
});

test("an erased line starts anew", () => {
  check.equal(shown("working…\r\u001b[Kdone"), "done", "to the end");
  check.equal(shown("working…\u001b[2K\rdone"), "done", "all of it");
  check.equal(shown("working…\u001b[1Kdone"), "working…done", "what is before the cursor stays");
});

test("the sixteen colours, the table of 256 and red, green and blue become eight", () => {
  const hues: Readonly<Record<string, string>> = {
    "31": "red", "91": "red", "38;5;9": "red", "38;5;196": "red", "38;2;200;10;20": "red", "38:2::200:10:20": "red", "38:5:196": "red",
    "38;2;240;200;20": "yellow", "38;5;208": "yellow", "38;5;21": "blue", "38;2;0;160;160": "cyan", "38;5;240": "black", "38;5;255": "white", "97": "white",
  };
  for (const [code, hue] of Object.entries(hues)) check.equal(first(`\u001b[${code}mx`)?.style?.fore, hue, code);
  check.equal(first("\u001b[41mx")?.style?.ground, "red", "ground");
});

test("settings add up and can be taken back one by one", () => {
  const [bold, both, plain] = terminalLines("\u001b[1ma\u001b[38;5;2;4mb\u001b[22;24;39mc")[0]!;
  check.equal([bold?.style?.bold, bold?.style?.fore], [true, undefined], "a");
  check.equal([both?.style?.bold, both?.style?.fore, both?.style?.underlined], [true, "green", true], "b");
  check.equal(plain, { text: "c", style: undefined }, "c");
});

test("inverse text stays readable: it only changes the ground", () => {
  check.equal([first("\u001b[7mx")?.style?.ground, first("\u001b[7mx")?.style?.fore], ["plain", undefined], "plain");
  check.equal(first("\u001b[32;7mx")?.style?.ground, "green", "coloured");
});

test("concealed text is shown", () => {
  check.equal(first("\u001b[8mx"), { text: "x", style: undefined }, "span");
});

test("links, titles and the clipboard leave nothing but the text", () => {
  check.equal(shown("\u001b]8;;https://example.test/\u0007text\u001b]8;;\u001b\\!"), "text!", "link");
  check.equal(shown("a\u001b]52;c;cm0gLXJm\u0007b\u001b]0;title\u001b\\c\u001bPq#0\u001b\\d"), "abcd", "others");
});

test("a sequence that is never ended hides no more than its line", () => {
  check.equal(shown("a\u001b]0;evil\nb"), "a\nb", "title");
  check.equal(shown("a\u001b[12\nb"), "a\nb", "control sequence");
  check.equal(shown("a\u001b"), "a", "escape");
});

test("the cursor does not move", () => {
  check.equal(shown("a\u001b[2J\u001b[H\u001b[999999999Cb\u001b[?25l\u001b[5Ac\u001b(Bd\u001b7e"), "abcde", "text");
});

test("huge and odd parameters are harmless", () => {
  const many = Array.from({ length: 20_000 }, () => "38;5;99999999999").join(";");
  check.equal(shown(`a\u001b[${many}mb\u001b[38mc\u001b[38;2md\u001b[;;;me\u001b[?1mf`), "abcdef", "text");
});

/** Output that is made to confuse: halves of sequences, controls and text in any order. */
function odd(random: Random): string {
  const parts = ["\u001b", "[", "]", "\u001b[", "\u001b]8;;x", "\u0007", "\u001b\\", "\u009b", "\u009d", "31", "38;5;", "38:2::1:2:3", "m", "K", "2K", ";", ":", "?", "\r", "\b", "\n", "\t", "\0", "\u007f", "a", "bc", "世", "😀", "\ud800", "\u001bP", "H", "999999999", " "];
  return random.picks(parts, 0, 60).join("");
}

const binary = (random: Random): string => new TextDecoder("latin1").decode(random.bytes(random.integer(0, 300))) + new TextDecoder().decode(random.bytes(random.integer(0, 300)));

for (const [kind, draw] of Object.entries({ odd, binary })) {
  property(`whatever ${kind} output comes, there are lines of printable text, no more of it than came`, 1500, (random) => {
    const output = draw(random);
    const lines = terminalLines(output);
    const text = plainText(lines);
    check(lines.length === output.split("\n").length, `${lines.length} lines of ${JSON.stringify(output)}`);
    check(text.length <= output.length, `longer than ${JSON.stringify(output)}`);
    check(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text), `control characters left of ${JSON.stringify(output)}: ${JSON.stringify(text)}`);
    check.equal(shown(text), text, "what is shown, shown again");
    check(lines.every((line) => line.every((span, index) => span.text !== "" && span.style !== line[index - 1]?.style || index === 0)), `spans of one style are not one span: ${JSON.stringify(lines)}`);
  });
}
