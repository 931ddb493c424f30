import { render } from "preact";
import { check, drawn, property, stage, test } from "../../testing/testing";
import type { Random } from "../../testing/random";
import { formed } from "./forming";
import { Markdown } from "./markdown";

/** Markdown of every kind, each piece a whole block. */
const pieces = [
  "# A heading with `code`",
  "Plain words, **bold ones**, *slanted ones*, ~~gone~~ and `code`.",
  "A [link](https://example.test/a_(b)) and ![a picture](https://example.test/p.png) and <https://example.test/auto>.",
  "***Both*** and **bold with *slanted* inside** and snake_case_name, 2 * 3 * 4.",
  "- one\n- two **bold**\n  - inner `code`\n- [ ] open\n- [x] done",
  "1. first\n2. second\n\n   with a paragraph",
  "> A quotation\n> of **two** lines\n>\n> - and a list",
  "```go\nfunc main() {\n\n\tprintln(\"hi\") // **not bold**\n}\n```",
  "````md\n```js\nnested()\n```\n````",
  "~~~\ntilde **fence**\n~~~",
  "| name | n |\n| :--- | ---: |\n| **a** | 1 |\n| `b\\|c` | 22 |",
  "It costs $5, or US$7; the area is $\\pi r^2$ and \\(a+b\\).",
  "$$\n\\int_0^1 x^2 \\, dx = \\frac13\n$$",
  "\\[ e^{i\\pi} = -1 \\]",
  "<script>alert(1)</script> and <img src=x onerror=alert(1)> and <svg><style><img src=x></svg>",
  "[bad](javascript:alert(1)) [data](data:text/html,x) [ref]: nothing",
  "---",
  "Title\n=====",
  "中文**加粗**，以及 😀 emoji.",
  "Line one  \nline two\\\nline three &amp; &lt;b&gt;",
];

const allowed = new Set("A BLOCKQUOTE BR CODE DEL EM H1 H2 H3 H4 H5 H6 HR LI OL P PRE SPAN STRONG TABLE TBODY TD TH THEAD TR UL DIV BUTTON svg path rect circle line math mfrac mi mn mo mover mrow msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover mspace mpadded".split(" "));

async function shown(root: HTMLElement, text: string, streaming: boolean): Promise<HTMLElement> {
  render(<Markdown text={text} streaming={streaming} />, root);
  // Preact commits in a microtask.
  await Promise.resolve();
  return root.firstElementChild as HTMLElement;
}

function strangers(root: HTMLElement): readonly string[] {
  return Array.from(root.querySelectorAll("*")).flatMap((element) => [
    ...(allowed.has(element.tagName) ? [] : [element.tagName]),
    ...Array.from(element.attributes, ({ name, value }) => `${name}=${value}`).filter((attribute) => /^(on|style|src|srcdoc)/i.test(attribute) || /^href=(?!https?:|mailto:)/i.test(attribute)),
  ]);
}

const draw = (random: Random) => random.picks(pieces, 1, 5).join("\n\n");

property("every prefix shows nothing but allowed elements, and finished blocks stay the elements they are", 25, async (random) => {
  const text = draw(random);
  const root = stage();
  let before: readonly Element[] = [];
  for (let length = 1; length <= text.length; length++) {
    const markdown = await shown(root, text.slice(0, length), true);
    const strange = strangers(markdown);
    check(strange.length === 0, `${JSON.stringify(text.slice(0, length))} shows ${strange.join(", ")}`);
    const blocks = Array.from(markdown.children);
    // Only the last three blocks may still change.
    const finished = before.slice(0, Math.max(0, before.length - 3));
    check(finished.every((block, index) => blocks[index] === block), `blocks were replaced at ${JSON.stringify(text.slice(0, length))}`);
    before = blocks;
  }
  render(null, root);
});

property("a text that came bit by bit ends like one that came at once", 40, async (random) => {
  const text = draw(random);
  const root = stage();
  for (let length = random.integer(1, 9); length < text.length; length += random.integer(1, 30)) await shown(root, text.slice(0, length), true);
  await shown(root, text, true);
  const bitByBit = (await shown(root, text, false)).innerHTML;
  render(null, root);
  const atOnce = (await shown(stage(), text, false)).innerHTML;
  check.equal(bitByBit, atOnce, "html");
});

property("text of finished blocks is never lost", 25, async (random) => {
  const text = draw(random);
  const root = stage();
  let settled = "";
  for (let length = 1; length <= text.length; length++) {
    const blocks = Array.from((await shown(root, text.slice(0, length), true)).children, (block) => block.textContent ?? "");
    const now = blocks.join("\n");
    check(now.startsWith(settled), `at ${length} of ${JSON.stringify(text)}: ${JSON.stringify(settled)} became ${JSON.stringify(now)}`);
    settled = blocks.slice(0, -3).join("\n");
  }
  render(null, root);
});

test("a settled block is neither rendered again nor touched while the text grows", async () => {
  const root = stage();
  const text = "First.\n\nSecond.\n\nThird.\n\nFourth.\n\nFifth";
  const markdown = await shown(root, text, true);
  const [first, second] = Array.from(markdown.children);
  const inner = first!.firstChild;
  const changes: MutationRecord[] = [];
  const observer = new MutationObserver((records) => changes.push(...records));
  for (const block of [first!, second!]) observer.observe(block, { subtree: true, childList: true, characterData: true, attributes: true });
  await shown(root, `${text} grows **on`, true);
  await drawn();
  check.equal(changes.length, 0, "changes");
  check(markdown.firstChild === first && first!.firstChild === inner, "the first block is another element");
  observer.disconnect();
});

property("only the last two lines of a growing text are ever shown otherwise than written", 100, (random) => {
  const text = random.picks(pieces, 1, 5).join(random.pick(["\n", "\n\n"]));
  for (let length = 1; length <= text.length; length++) {
    const prefix = text.slice(0, length);
    const kept = prefix.slice(0, prefix.lastIndexOf("\n", prefix.lastIndexOf("\n") - 1) + 1);
    check(formed(prefix).startsWith(kept.trimEnd()), `${JSON.stringify(prefix)} became ${JSON.stringify(formed(prefix))}`);
  }
});

test("marks that are still open do not show", () => {
  const meant: Readonly<Record<string, string>> = {
    "a **bo": "a **bo**", "a **": "a ", "a *b": "a *b*", "a ***b": "a ***b***", "a **b *c": "a **b *c***", "a **b*": "a **b**", "**b** c": "**b** c",
    "a `co": "a `co`", "a `": "a ", "a ``c`": "a ``c` ``", "a ~~b": "a ~~b~~", "a [wor": "a wor", "a [words](https://exa": "a words", "a ![pic": "a pic",
    "snake_case_na": "snake_case_na", "2 * 3": "2 * 3", "a \\*b": "a \\*b", "- one\n- two **b": "- one\n- two **b**", "- one\n-": "- one\n", "text\n--": "text\n",
    "text\n\n12": "text\n\n", "text\n\n``": "text\n\n", "text\n\n##": "text\n\n", "| a | b |": "| a | b |\n| --- | --- |", "| a | b |\n|-": "| a | b |\n| --- | --- |", "```\na **b": "```\na **b", "```\na\n``": "```\na",
    "a [b\n# h\n# i\n# j\n# k": "a [b\n# h\n# i\n# j\n# k", "a **b\n# h": "a **b\n# h", "# h\na **b": "# h\na **b**", "# a **b": "# a **b**",
    "**a** and **b": "**a** and **b**", "a [b](c) *d": "a [b](c) *d*",
  };
  for (const [text, want] of Object.entries(meant)) check.equal(formed(text), want, JSON.stringify(text));
});

for (const piece of pieces.filter((each) => !/^\$\$|^\\\[|\$|<|ref|2 \* 3/.test(each))) {
  test(`no mark flashes up while this is written: ${piece.slice(0, 30).replaceAll("\n", "⏎")}`, async () => {
    const root = stage();
    const marks = /\*\*|~~|(?<!`)``|^\s*#+\s|^\s*[|]|\]\(/m;
    const final = (await shown(stage(), piece, false)).textContent ?? "";
    if (marks.test(final)) return; // it has them to the end
    for (let length = 1; length <= piece.length; length++) {
      const markdown = await shown(root, piece.slice(0, length), true);
      const text = Array.from(markdown.querySelectorAll(".markdown-block, .code pre"), (each) => each.textContent).join("\n");
      check(!marks.test(text), `${JSON.stringify(piece.slice(0, length))} shows ${JSON.stringify(text)}`);
    }
    render(null, root);
  });
}

test("money is not mathematics, and a formula is", async () => {
  const money = await shown(stage(), "It costs $5 and $10, US$5/US$6, or $ 3 $.", false);
  check.equal(money.querySelectorAll(".formula, math").length, 0, "formulas in money");
  check(money.textContent!.includes("$5 and $10, US$5/US$6, or $ 3 $"), money.textContent!);
  const root = stage();
  await shown(root, "So $x^2$ and\n\n$$\\frac{a}{b}$$\n\nand $\\nonsense{$.", false);
  for (let frame = 0; frame < 50 && root.querySelectorAll("math").length < 2; frame++) await drawn();
  check.equal(Array.from(root.querySelectorAll("math"), (math) => math.textContent), ["x2", "ab"], "formulas");
  check.equal(root.querySelector(".formula")?.textContent, "\\nonsense{", "what is not understood");
  check(root.querySelector("math[display=block] mfrac") !== null, "the formula that stands alone is in the display style");
});

test("a formula cannot carry a link, a style or a script", async () => {
  const root = stage();
  await shown(root, "$\\href{javascript:alert(1)}{x}$ $\\text{<img src=x onerror=alert(1)>}$ $\\boxed{y}$ $\\class{evil}{z}$ $\\style{color:red}{w}$", false);
  for (let frame = 0; frame < 50 && root.querySelector("math") === null; frame++) await drawn();
  check(root.querySelector("math") !== null, "no formula was written");
  check.equal(strangers(root.firstElementChild as HTMLElement).filter((each) => each !== "menclose"), [], "strangers");
});

test("a huge table shows its first rows, and all of them when asked", async () => {
  const row = (cell: (column: number) => string) => `|${Array.from({ length: 500 }, (_, column) => cell(column)).join("|")}|`;
  const root = stage();
  await shown(root, [row((column) => `h${column}`), row(() => "-"), ...Array.from({ length: 60 }, (_, line) => row((column) => `${line}.${column}`))].join("\n"), false);
  check.equal(root.querySelectorAll("tbody tr").length, 4, "rows at first");
  root.querySelector<HTMLButtonElement>(".card-more")!.click();
  await drawn();
  check.equal(root.querySelectorAll("tbody tr").length, 60, "rows when asked");
  check.equal(root.querySelector("tbody tr:last-child td:last-child")?.textContent, "59.499", "the last cell");
});
