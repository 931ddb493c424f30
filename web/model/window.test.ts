import { check, property, test } from "../testing/testing";
import type { ViewedEvent } from "../wire/types";
import { emptyWindow, extend, joinHead, tailSeq } from "./window";

const item = (seq: number): ViewedEvent => ({ event: { type: "step/start", seq, time: 0, data: {} } });
const run = (low: number, high: number): readonly ViewedEvent[] => Array.from({ length: high - low }, (_, offset) => item(low + offset));
const seqs = (events: readonly ViewedEvent[]) => events.map((each) => each.event.seq);

test("an event beyond a gap is kept aside", () => {
  const { window, taken, beyond } = extend(emptyWindow, [item(0), item(2)]);
  check.equal(seqs(taken), [0], "taken");
  check.equal(seqs(beyond), [2], "beyond");
  check.equal(tailSeq(window), 0, "tail");
});

test("an older page that does not end where the window begins is refused", () => {
  check.equal(joinHead({ events: run(10, 12), hasMore: true }, { events: run(0, 9), hasMore: false }), undefined, "joined");
});

property("events in any order and any number of times make the same window", 200, (random) => {
  const events = run(0, random.integer(1, 40));
  let window = emptyWindow;
  let waiting: readonly ViewedEvent[] = [];
  for (const each of random.shuffled([...events, ...random.picks(events, 0, 20)])) {
    const step = extend(window, [...waiting, each]);
    window = step.window;
    waiting = step.beyond;
  }
  check.equal(seqs(window.events), seqs(events), "window");
  check.equal(seqs(waiting), [], "waiting");
});
