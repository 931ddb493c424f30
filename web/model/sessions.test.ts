import { check, property, test } from "../testing/testing";
import { numbered } from "./sessions";

test("a fork is called like the original with the next free number", () => {
  check.equal(numbered("Plans", ["Plans"]), "Plans (1)", "the first");
  check.equal(numbered("Plans", ["Plans", "Plans (1)", "Plans (7)", "Plan (9)"]), "Plans (8)", "a later one");
  check.equal(numbered("Plans (1)", ["Plans", "Plans (1)"]), "Plans (2)", "a fork of a fork");
  check.equal(numbered("f(2)", []), "f(2) (1)", "a number that is part of the name");
});

property("the name of a fork fits, and nobody has it", 200, (random) => {
  const word = () => random.picks(["a", "é", "文", "😀", " ", "(1)", " (2)"], 1, 40).join("").trim() || "x";
  const titles = Array.from({ length: random.integer(1, 8) }, word);
  const name = numbered(titles[0] ?? "x", titles);
  check(new TextEncoder().encode(name).length <= 80, `${name} is too long`);
  if (new TextEncoder().encode(titles[0] ?? "").length < 70) check(!titles.includes(name), `${name} is taken`);
});
