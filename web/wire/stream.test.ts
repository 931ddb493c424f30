import { recordedTurn } from "../testing/recorded";
import { check, property, test } from "../testing/testing";
import { BlockParser } from "./sse";
import { readStream } from "./stream";

/** What a reader of a stream is told, in order. */
type Told = readonly (readonly unknown[])[];

const encoded = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/** Reads a stream that arrives in these pieces and then ends. */
async function told(pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<Told> {
  const all: unknown[][] = [];
  const before = globalThis.fetch;
  globalThis.fetch = () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  };
  try {
    await readStream("mux", "", new AbortController().signal, {
      opened: () => all.push(["opened"]),
      received: (items) => {
        for (const { id, frame } of items) {
          if (frame) all.push([frame.method, frame.payload]);
          if (id !== undefined) all.push(["cursor", id]);
        }
      },
    });
  } finally {
    globalThis.fetch = before;
  }
  return all;
}

/** The first offset at which a stream that comes in two pieces says something else than in one, undefined for none. */
async function firstDifference(bytes: Uint8Array<ArrayBuffer>): Promise<number | undefined> {
  const want = JSON.stringify(await told([bytes]));
  for (let offset = 0; offset <= bytes.length; offset++) {
    if (JSON.stringify(await told([bytes.slice(0, offset), bytes.slice(offset)])) !== want) return offset;
  }
  return undefined;
}

test("a recorded stream is read whole", async () => {
  const all = await told([encoded(recordedTurn)]);
  const frames = recordedTurn.split("\n\n").filter((block) => block.includes("data: "));
  check.equal(all.filter(([kind]) => kind !== "opened" && kind !== "cursor").map(([method, payload]) => ({ method, payload })), frames.map((block) => {
    const { method, payload } = JSON.parse(block.slice(block.indexOf("data: ") + 6));
    return { method, payload };
  }), "frames");
  check.equal(all.filter(([kind]) => kind === "cursor").map(([, id]) => id), frames.map((block) => /^id: (.*)$/m.exec(block)?.[1]), "cursors");
  check(/[\u0080-\uffff]/.test(recordedTurn), "nothing in it has more than one byte to a character");
});

test("a recorded stream that is cut at any byte says the same", async () => {
  check.equal(await firstDifference(encoded(recordedTurn)), undefined, "first offset that differs");
});

/** A stream with everything that the format allows and the host does not write. */
const odd = ': hello\r\n\r\nid: e-1\r\nevent: x\r\ndata: {"method":"a/b",\r\ndata:"payload":{"text":"三 🙂 é"}}\r\nretry: 5\r\n\r\n\r\n\nid:e-2\n\n: between\n\nnonsense\n\ndata: {"method":"c/d","payload":{}}\nid: e-3\n\nid: e-4\ndata: {"method":"never","payload":{}}';

test("lines with CR LF, comments, ids alone, unknown fields and characters of several bytes are read at any cut", async () => {
  check.equal(await told([encoded(odd)]), [
    ["opened"], ["a/b", { text: "三 🙂 é" }], ["cursor", "e-1"], ["cursor", "e-2"], ["c/d", {}], ["cursor", "e-3"],
  ], "told");
  check.equal(await firstDifference(encoded(odd)), undefined, "first offset that differs");
});

test("a stream that comes byte by byte says the same", async () => {
  for (const text of [recordedTurn, odd]) {
    const bytes = encoded(text);
    check.equal(await told(Array.from(bytes, (byte) => Uint8Array.of(byte))), await told([bytes]), "told");
  }
});

property("a stream in pieces of any size says the same", 100, async (random) => {
  const bytes = encoded(random.pick([recordedTurn, odd]));
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = random.integer(0, 400);
    pieces.push(bytes.slice(at, at + size));
    at += size;
  }
  check.equal(await told(pieces), await told([bytes]), "told");
});

property("a stream that ends at any byte has told nothing that is not whole", 100, async (random) => {
  const bytes = encoded(recordedTurn);
  const all = await told([bytes]);
  const cut = await told([bytes.slice(0, random.integer(0, bytes.length))]);
  check.equal(cut, all.slice(0, cut.length), "told");
});

property("the parser makes the same blocks of any pieces", 200, (random) => {
  const text = random.picks(["id: 1\n", "data: a\n", "data:b\r\n", "\n", "\r\n", ": c\n", "data\n", "x: y\n"], 1, 20).join("");
  const parser = new BlockParser();
  const blocks = [...text].flatMap((character) => parser.push(character));
  check.equal(blocks, new BlockParser().push(text), "blocks");
});
