import { check, test } from "../testing/testing";
import type { Json } from "../wire/types";
import { keptAtMost, keptCharacters, keptMap, type TextStore } from "./kept";

const text = (value: Json) => (typeof value === "string" ? value : undefined);

/** A tab's storage with what it was asked to write. */
function storage(): TextStore & { readonly texts: Map<string, string>; writes: number } {
  const texts = new Map<string, string>();
  const store = {
    texts,
    writes: 0,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, value: string) => {
      store.writes++;
      texts.set(key, value);
    },
    removeItem: (key: string) => void texts.delete(key),
  };
  return store;
}

test("what was kept is there after a reload, and what was forgotten is not", () => {
  const tab = storage();
  const before = keptMap("t", text, () => tab);
  before.put("a", "one");
  before.put("b", "two");
  before.put("a", "three");
  before.put("b", undefined);
  check.equal(keptMap("t", text, () => tab).values.value, new Map([["a", "three"]]), "after the reload");
  before.put("a", undefined);
  check.equal(tab.texts.size, 0, "entries in the storage when nothing is kept");
});

test("two tabs keep their own", () => {
  const [one, other] = [storage(), storage()];
  keptMap("t", text, () => one).put("a", "mine");
  keptMap("t", text, () => other).put("a", "theirs");
  check.equal(keptMap("t", text, () => one).values.value.get("a"), "mine", "of the one tab");
});

test("the newest are kept, and no more than there is room for", () => {
  const tab = storage();
  const kept = keptMap("t", text, () => tab);
  for (let n = 0; n < keptAtMost + 5; n++) kept.put(`id ${n}`, "x");
  const ids = [...keptMap("t", text, () => tab).values.value.keys()];
  check.equal([ids.length, ids[0]], [keptAtMost, "id 5"], "how many, and the oldest");
  kept.put("long", "y".repeat(keptCharacters));
  kept.flush();
  check(!keptMap("t", text, () => tab).values.value.has("long"), "what is longer than there is room for was written");
  check.equal(kept.values.value.get("long")?.length, keptCharacters, "and is there for the life of the page");
});

test("a long text is written when the page is left and not at every key", () => {
  const tab = storage();
  const kept = keptMap("t", text, () => tab);
  for (let n = 0; n < 10; n++) kept.put("a", "x".repeat(100_000 + n));
  check.equal(tab.writes, 0, "writes while it is typed");
  dispatchEvent(new Event("pagehide"));
  kept.put("a", "what a call that was cut off gave back");
  check.equal(keptMap("t", text, () => tab).values.value.get("a")?.length, 100_009, "characters after the page was left");
  dispatchEvent(new Event("pageshow"));
  kept.put("a", "x");
  check.equal(keptMap("t", text, () => tab).values.value.get("a"), "x", "after it was come back to");
});

test("a storage that holds something else, or nothing may be put in, does no harm", () => {
  for (const text of ["{", "7", `{"a":1}`, `[["a"],7,[1,"x"],["b",5]]`]) {
    const tab = storage();
    tab.texts.set("keylane.t", text);
    check.equal(keptMap("t", (value) => (typeof value === "string" ? value : undefined), () => tab).values.value.size, 0, text);
  }
  const full: TextStore = { getItem: () => { throw new Error("forbidden"); }, setItem: () => { throw new Error("full"); }, removeItem: () => undefined };
  const kept = keptMap("t", text, () => full);
  kept.put("a", "one");
  check.equal(kept.values.value.get("a"), "one", "for the life of the page");
});
