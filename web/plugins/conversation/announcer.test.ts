import type { Row } from "../../model/rows";
import { check, test } from "../../testing/testing";
import { outcome, plain } from "./announcer";

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
