import { check, property, test } from "../../testing/testing";
import type { SearchAnswer, SessionSummary } from "../../wire/types";
import { marksOf, maxFound, pieces, SessionSearch } from "./searching";

const session = (sessionId: string, title: string): SessionSummary => ({ sessionId, title, updatedAt: 0, running: false, blank: false, cwd: "/w" });
const ids = (search: SessionSearch, sessions: readonly SessionSummary[]) => search.found(sessions).items.map((item) => item.session.sessionId);
const answer = (...items: readonly string[]): SearchAnswer => ({ items: items.map((sessionId) => ({ sessionId, snippet: `in ${sessionId}`, marks: [] })), hasMore: false });

/** A host that answers when it is told to, the calls being in order. */
function slowHost() {
  const calls: { readonly query: string; readonly signal: AbortSignal; readonly settle: (answer: SearchAnswer | undefined) => void }[] = [];
  const ask = (query: string, signal: AbortSignal) =>
    new Promise<SearchAnswer>((done, fail) => calls.push({ query, signal, settle: (given) => (given ? done(given) : fail(new Error("no answer"))) }));
  return { calls, ask };
}

const turn = () => new Promise<void>((done) => setTimeout(done));

test("names match at once, and the host is asked for the rest", async () => {
  const { calls, ask } = slowHost();
  const search = new SessionSearch(ask);
  const sessions = [session("a", "Lock gates"), session("b", "Boats")];
  search.type("gat");
  check.equal([ids(search, sessions), search.state.value, calls.length], [["a"], "asking", 0], "at the key");
  search.now();
  check.equal(calls.map((call) => call.query), ["gat"], "asked");
  calls[0]?.settle(answer("b", "a", "gone"));
  await turn();
  check.equal(ids(search, sessions), ["a", "b"], "with the answer");
  check.equal(search.found(sessions).items[0]?.snippet, "in a", "snippet of a name that matches");
});

test("a space at the end asks nothing anew", async () => {
  const { calls, ask } = slowHost();
  const search = new SessionSearch(ask);
  search.type("a");
  search.now();
  calls[0]?.settle(answer("s"));
  await turn();
  search.type("a ");
  check.equal([search.state.value, calls.length], ["answered", 1], "after the space");
  search.type(" ");
  check.equal([search.state.value, search.active.value], ["none", false], "with nothing but a space");
});

test("a failure leaves the names", async () => {
  const { calls, ask } = slowHost();
  const search = new SessionSearch(ask);
  search.type("lock");
  search.now();
  calls[0]?.settle(undefined);
  await turn();
  check.equal([search.state.value, ids(search, [session("a", "Lock")])], ["failed", ["a"]], "after the failure");
});

test("no more is shown than fits, and that there is more is said", () => {
  const search = new SessionSearch(() => new Promise(() => {}));
  const sessions = Array.from({ length: maxFound + 1 }, (_, i) => session(`s${i}`, "Lock"));
  search.type("lock");
  check.equal([search.found(sessions).items.length, search.found(sessions).more], [maxFound, true], "one too many");
  check.equal([search.found(sessions.slice(1)).items.length, search.found(sessions.slice(1)).more], [maxFound, false], "as many as fit");
});

property("whatever order answers come in, the last query's is shown, and the others were given up", 200, async (random) => {
  const { calls, ask } = slowHost();
  const search = new SessionSearch(ask);
  const queries = Array.from({ length: random.integer(2, 6) }, (_, i) => `q${i}`);
  for (const query of queries) {
    search.type(query);
    search.now();
  }
  const last = queries.at(-1);
  for (const call of random.shuffled(calls)) {
    call.settle(random.integer(0, 3) === 0 && call.query !== last ? undefined : answer(call.query));
    await Promise.resolve();
  }
  await Promise.resolve();
  await Promise.resolve();
  check.equal(ids(search, queries.map((query) => session(query, "other"))), [last], "shown");
  check.equal(calls.filter((call) => !call.signal.aborted).map((call) => call.query), [last], "not given up");
});

test("marks of a title count code points", () => {
  check.equal(marksOf("😀 Café Löck", ["cafe", "ock"]), [{ start: 2, end: 6 }, { start: 8, end: 11 }], "accents");
  check.equal(marksOf("全文索引", ["索引"]), [{ start: 2, end: 4 }], "Chinese");
  check.equal(marksOf("Lock", ["lo", "oc"]), [{ start: 0, end: 3 }], "overlap");
  check.equal(marksOf("Lock", ["lock", "gate"]), undefined, "a word is missing");
});

property("the pieces of a text are the text", 300, (random) => {
  const text = random.shuffled([..."a😀é你 b"]).join("").repeat(random.integer(0, 3));
  const length = [...text].length;
  let at = 0;
  const marks: { start: number; end: number }[] = [];
  while (at < length) {
    const start = random.integer(at, length);
    const end = random.integer(start, length);
    if (end > start) marks.push({ start, end });
    at = end + 1;
  }
  const cut = pieces(text, marks);
  check.equal(cut.map((piece) => piece.text).join(""), text, "joined");
  check(cut.every((piece) => piece.text.isWellFormed() && piece.text !== ""), "a piece is empty or half a character");
});
