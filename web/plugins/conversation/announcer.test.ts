import type { Row } from "../../model/rows";
import { check, test } from "../../testing/testing";
import { hear, outcome, plain, type Heard, type Seen } from "./announcer";

const user: Row = { kind: "user", key: "u", text: "Why?", attachments: 0 };
const said = (text: string): Row => ({ kind: "text", key: text, text, streaming: false });
const ended = (ending: "stopped" | "max-tokens"): Row => ({ kind: "ending", key: ending, ending });

test("the last answer of the last turn is told, without the signs of markdown", () => {
  check.equal(outcome([user, said("old"), user, said("first"), said("## So\n\nIt is **so**, see [here](https://example.test).")]), "Answer: So It is so, see here.", "words");
});

test("of a long answer the beginning is told", () => {
  const words = outcome([user, said("word ".repeat(1000))]);
  check.equal(words.length < 620 && words.endsWith("word…"), true, words);
});

test("a turn that was stopped is told so, whatever it had said; one that ran into its limit is told with what it said", () => {
  check.equal(outcome([user, said("half"), ended("stopped")]), "Stopped", "words");
  check.equal(outcome([user, said("half"), ended("max-tokens")]).startsWith("Answer: half "), true, "words");
});

test("a failure has told of itself", () => {
  check.equal(outcome([user, said("half"), { kind: "failure", key: "f", code: "AUTH", message: "", status: 401 }]), "", "words");
});

test("lists and quotations lose their marks, a product keeps its star", () => {
  check.equal(plain("> a\n- b\n* c\n2 * 3"), "a b c 2 * 3", "words");
});

const asked = (key: string): Row => ({ kind: "user", key, text: "Why?", attachments: 0 });
const sight = (rows: readonly Row[], rest: Partial<Seen> = {}): Seen => ({ id: "s", made: false, turnOpen: false, rows, ...rest });

/** What is said, sight by sight; "-" where what was said stays. */
function saying(sights: readonly (Seen | undefined)[]): readonly string[] {
  let heard: Heard | undefined;
  return sights.map((seen) => {
    const next = hear(heard, seen);
    heard = next.heard;
    return next.words ?? "-";
  });
}

test("the end of a turn is told once, and the next turn begins in silence", () => {
  const first = [asked("1"), said("One.")];
  check.equal(saying([sight([]), sight([asked("1")], { turnOpen: true }), sight(first), sight(first), sight([...first, asked("2")], { turnOpen: true })]), ["", "", "Answer: One.", "-", ""], "said");
});

test("a turn that is whole before the page has drawn any of it is told", () => {
  check.equal(saying([sight([asked("1"), said("One.")], { made: true })]), ["Answer: One."], "in a session that this page made");
  check.equal(saying([sight([asked("1"), said("One.")]), sight([asked("1"), said("One."), asked("2"), said("Two.")])]), ["", "Answer: Two."], "in one that was opened");
});

test("what was over when a session was opened is not told, what still ran is", () => {
  check.equal(saying([sight([asked("1"), said("One.")]), sight([asked("1"), said("One.")])]), ["", "-"], "at rest");
  check.equal(saying([sight([asked("1"), said("On")], { turnOpen: true }), sight([asked("1"), said("One.")])]), ["", "Answer: One."], "running");
  check.equal(saying([sight([asked("1"), said("One.")]), undefined, sight([asked("1"), said("One.")])]), ["", "", ""], "left and opened again");
});

test("older pages above tell nothing", () => {
  check.equal(saying([sight([asked("2"), said("Two.")]), sight([asked("1"), said("One."), asked("2"), said("Two.")])]), ["", "-"], "said");
});
