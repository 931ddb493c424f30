// Tests of the page's own TypeScript, run in the pinned Chromium by
// tools/webtest. A file `<name>.test.ts` beside the code it is about says what
// holds, one sentence each:
//
//   import { check, property, test } from "../testing/testing";
//
//   test("a duplicate frame changes nothing", () => {
//     check.equal(rows(twice), rows(once), "rows");
//   });
//   property("frames in any order give the same rows", 200, (random) => {
//     check.equal(rows(random.shuffled(frames)), rows(frames), "rows");
//   });
//
// A test may be async and may use the document, which is empty and its own file's.
// An uncaught error, an error on the console or a breach of the content
// security policy fails the test that was running. Nothing here is part of
// the page: the bundler starts from the page's entries, and none imports this.

import { Random } from "./random";

type Body = () => void | Promise<void>;

const tests: { readonly sentence: string; readonly body: Body }[] = [];
let failures: string[] = [];

/** Declares a test. Its sentence is unique in its file. */
export function test(sentence: string, body: Body): void {
  if (tests.some((other) => other.sentence === sentence)) throw new Error(`two tests say ${JSON.stringify(sentence)}`);
  tests.push({ sentence, body });
}

/**
 * Declares that something holds for whatever is drawn from `random`: `runs`
 * runs, each with a seed of its own, the same at every run of the test. The
 * first seed that fails is named; `property(sentence, seed, 1, ...)` runs that
 * one alone.
 */
export function property(sentence: string, runs: number, body: (random: Random) => void | Promise<void>): void;
export function property(sentence: string, seed: string, runs: 1, body: (random: Random) => void | Promise<void>): void;
export function property(sentence: string, ...rest: readonly unknown[]): void {
  const body = rest.at(-1) as (random: Random) => void | Promise<void>;
  const runs = rest.at(-2) as number;
  test(sentence, async () => {
    for (let run = 0; run < runs; run++) {
      const seed = typeof rest[0] === "string" ? rest[0] : `${sentence} ${run}`;
      await attempt(() => body(new Random(seed)));
      if (failures.length === 0) continue;
      failures = failures.map((failure) => `seed ${JSON.stringify(seed)}: ${failure}`);
      return;
    }
  });
}

/** Notes a failure when the condition doesn't hold; the test goes on. */
export function check(condition: boolean, otherwise: string): void {
  if (!condition) fail(otherwise);
}

/** Notes a failure when two values differ as JSON has them. */
check.equal = (got: unknown, want: unknown, what: string): void => {
  const [printedGot, printedWant] = [printed(got), printed(want)];
  if (printedGot !== printedWant) fail(`${what}: got\n${printedGot}\nwant\n${printedWant}`);
};

/** Notes a failure when the body throws nothing, or something whose message lacks the words. */
check.throws = (body: () => unknown, words: string): void => {
  try {
    body();
  } catch (error) {
    if (!String(error).includes(words)) fail(`it threw ${String(error)}, which doesn't say ${JSON.stringify(words)}`);
    return;
  }
  fail("it threw nothing");
};

/** Returns after the page has drawn, and with it everything that rendering had put off. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** An empty element in the document, gone when the next one is asked for. */
export function stage(): HTMLElement {
  const element = document.createElement("div");
  document.body.replaceChildren(element);
  return element;
}

function fail(text: string): void {
  const place = (new Error().stack ?? "").split("\n").find((line) => /^\s+at /.test(line) && !/ (?:fail|check|check\.\w+|Function\.\w+|equal|throws) /.test(line));
  failures.push(text + (place === undefined ? "" : `\n${place.trim()}`));
}

async function attempt(body: Body): Promise<void> {
  try {
    await body();
  } catch (error) {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : `it threw ${String(error)}`);
  }
}

function printed(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (part === undefined ? "undefined" : part instanceof Map || part instanceof Set ? [...part] : part), 1) ?? "undefined";
}

/** What tools/webtest calls. */
const runner = {
  sentences: (): readonly string[] => tests.map(({ sentence }) => sentence),
  /** Runs one test and says what was wrong. */
  run: async (position: number): Promise<readonly string[]> => {
    failures = [];
    // In a task of the page's own: in the debugger's, a lost rejection would pass unseen.
    await new Promise((resolve) => setTimeout(resolve));
    await attempt(tests[position]!.body);
    // A rejection that nobody caught is reported a little later; it belongs to this test.
    await drawn();
    return failures;
  },
};

Object.assign(globalThis, { pageTests: runner });
