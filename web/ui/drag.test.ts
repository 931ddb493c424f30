import { check, property, test } from "../testing/testing";
import { speed } from "./drag";

test("a list scrolls near its edges alone, faster the nearer, and not faster beyond", () => {
  check.equal([140, 160, 300, 440, 460].map((y) => speed(y, 100, 500)), [0, 0, 0, 0, 0], "away from the edges");
  check.equal([140, 120, 100, 0].map((y) => speed(y, 100, 500)), [0, -10, -20, -20], "upper edge");
  check.equal([460, 480, 500, 900].map((y) => speed(y, 100, 500)), [0, 10, 20, 20], "lower edge");
});

property("a list that is lower than its edges scrolls one way at a time", 200, (random) => {
  const bottom = 100 + random.integer(1, 100);
  const y = random.integer(0, 300);
  const by = speed(y, 100, bottom);
  check(Math.abs(by) <= 20 && (y < (100 + bottom) / 2 ? by <= 0 : by >= 0), `${y} of 100 to ${bottom}: ${by}`);
});
