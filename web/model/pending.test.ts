import { check, property, test } from "../testing/testing";
import { heard, place, type Echo, type Expectation, type PendingPrompt } from "./pending";

const waits = (rpcId: string, state: "queued" | "steering" = "queued"): PendingPrompt => ({ itemId: `item-${rpcId}`, rpcId, text: rpcId, state });
const echo = (rpcId: string, expectation: Expectation): Echo => ({ itemId: undefined, rpcId, text: rpcId, state: "sending", expectation, seen: false });
const names = (prompts: readonly PendingPrompt[]) => prompts.map((each) => each.rpcId);

property("a prompt is shown in one place, from being sent to being a row, whatever is told twice", 200, (random) => {
  const expectations: Expectation[] = ["starts", "queues", "steers"];
  const life = new Map<string, "sent" | "waits" | "taken" | "row" | "removed">();
  let echoes: readonly Echo[] = [];
  let items: readonly PendingPrompt[] = [];
  const arrived = new Set<string>();
  const hear = () => {
    for (let times = random.integer(1, 2); times > 0; times--) echoes = heard(echoes, items, arrived);
  };
  for (let n = 0; n < 40; n++) {
    const id = `p${random.integer(0, 4)}`;
    switch (life.get(id)) {
      case undefined:
        life.set(id, "sent");
        echoes = [...echoes, echo(id, random.pick(expectations))];
        break;
      case "sent":
        life.set(id, "waits");
        items = [...items, waits(id, random.pick(["queued", "steering"]))];
        hear();
        break;
      case "waits":
        if (random.chance(0.3)) {
          life.set(id, "removed");
        } else {
          life.set(id, "row"); // its event comes first, and then the queue without it
          arrived.add(id);
        }
        items = items.filter((each) => each.rpcId !== id);
        hear();
        break;
    }
    const { pending, queued } = place(items, echoes, arrived);
    const want = [...life].filter(([, stage]) => stage === "sent" || stage === "waits").map(([each]) => each).sort();
    check.equal([...names(pending), ...names(queued)].sort(), want, "shown");
  }
});

test("a prompt that begins a turn keeps its place while the host says that it waits", () => {
  const echoes = heard([echo("a", "starts")], [waits("a")], new Set());
  check.equal(names(place([waits("a")], echoes, new Set()).pending), ["a"], "pending");
  check.equal(names(place([waits("a")], echoes, new Set()).queued), [], "queued");
});
