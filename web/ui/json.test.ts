import { check, property, test } from "../testing/testing";
import type { Random } from "../testing/random";
import { laidOut } from "./json";

test("members and items stand on lines of their own", () => {
  check.equal(laidOut('{"a":1,"b":[true,{"c":"x, {y}: \\"z\\""}],"d":{ },"e":[]}'), '{\n  "a": 1,\n  "b": [\n    true,\n    {\n      "c": "x, {y}: \\"z\\""\n    }\n  ],\n  "d": {},\n  "e": []\n}', "text");
});

test("long numbers and repeated keys stay as they were written", () => {
  check.equal(laidOut('{"n":12345678901234567890.10,"n":1e400}'), '{\n  "n": 12345678901234567890.10,\n  "n": 1e400\n}', "text");
});

test("what is not JSON stays as it is", () => {
  for (const text of ["", "plain", '{"a": ', '{"a":1}}']) check.equal(laidOut(text), text, JSON.stringify(text));
});

function value(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.4)) return random.pick<unknown>([null, true, -1.5, 1e21, "", "a\"b\\", "{[,:]}", "\n\u2028世", 0]);
  const values = Array.from({ length: random.integer(0, 4) }, () => value(random, depth - 1));
  return random.chance(0.5) ? values : Object.fromEntries(values.map((each, index) => [random.pick(["a", "b:", '"', ""]) + index, each]));
}

property("a value laid out is the same value, in the layout everybody knows", 300, (random) => {
  const drawn = value(random, 4);
  check.equal(laidOut(JSON.stringify(drawn)), JSON.stringify(drawn, null, 2), "text");
});
