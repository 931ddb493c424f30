import { check, property, test } from "../testing/testing";
import { formatAddress, parseAddress, type Address } from "./address";

property("what is formatted is read back", 200, (random) => {
  const address: Address = {
    sessionId: `session-${Array.from(random.bytes(4), (byte) => String.fromCodePoint(33 + byte)).join("")}`,
    view: random.chance(0.5) ? "trajectory" : "",
    event: random.chance(0.5) ? random.integer(0, 1_000_000) : undefined,
  };
  const [path, query = ""] = formatAddress(address).split("?");
  check.equal(parseAddress(path!, query), address, "address");
});

test("what is no address of a session is the start page", () => {
  for (const path of ["/", "/s/", "/s/a/b/c", "/s/a/B", "/t/a", "/s/%"]) check.equal(parseAddress(path, "event=3"), { sessionId: undefined, view: "", event: undefined }, path);
  check.equal(parseAddress("/s/a", "event=-1"), { sessionId: "a", view: "", event: undefined }, "an event that is none");
});
