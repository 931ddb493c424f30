import { check, test } from "../testing/testing";
import { connect, type Connection } from "./connection";
import type { Sink } from "./source";

/** A page with a source that the test moves by hand, and a note of what it was told. */
function page(probe: () => Promise<unknown>): { sink: Sink; connection: Connection; told: string[] } {
  const told: string[] = [];
  let sink: Sink | undefined;
  const connection = connect(
    {
      probe: () => {
        told.push("probed");
        return probe();
      },
      connected: (first) => told.push(first ? "connected first" : "connected again"),
      frame: (stream, method) => told.push(`${stream} ${method}`),
    },
    (given) => {
      sink = given;
      return { close: () => told.push("closed") };
    },
  );
  return { sink: sink!, connection, told };
}

/** Lets everything that is settled be heard. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a page is connected once the streams are open and the host has answered", async () => {
  let answer = () => {};
  const { sink, connection, told } = page(() => new Promise<void>((resolve) => (answer = resolve)));
  sink.state("open");
  await settled();
  check.equal([connection.state.value, told], ["connecting", ["probed"]], "before the answer");
  answer();
  await settled();
  check.equal([connection.state.value, told], ["connected", ["probed", "connected first"]], "after it");
});

test("streams that are lost and open again are told, with a new probe", async () => {
  const { sink, connection, told } = page(() => Promise.resolve());
  sink.state("open");
  await settled();
  sink.state("lost");
  check.equal(connection.state.value, "reconnecting", "lost");
  sink.state("open");
  sink.state("open");
  await settled();
  check.equal([connection.state.value, told], ["connected", ["probed", "connected first", "probed", "connected again"]], "open again");
  sink.state("opening");
  check.equal(connection.state.value, "connecting", "given back");
});

test("an answer that comes after the streams were lost connects nothing", async () => {
  const answers: (() => void)[] = [];
  const { sink, connection, told } = page(() => new Promise<void>((resolve) => answers.push(resolve)));
  sink.state("open");
  sink.state("lost");
  answers[0]?.();
  await settled();
  check.equal([connection.state.value, told], ["reconnecting", ["probed"]], "state");
});

test("the cursor moves after the frame that carries it", () => {
  const { sink, connection, told } = page(() => Promise.resolve());
  sink.received("host", [{ id: "e-1", frame: { method: "host/session-status", payload: {} } }, { id: "e-2" }]);
  check.equal([connection.cursor.host.value, connection.cursor.mux.value, told], ["e-2", "", ["probed", "host host/session-status"]], "cursor and frames");
});
