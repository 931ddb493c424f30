import { render } from "preact";
import type { Row } from "keylane";
import { check, drawn, stage, test } from "../../testing/testing";
import { sections, SectionView } from "./section";

/** A row that counts how often it is drawn. */
class Counted {
  drawings = 0;
  readonly row: Row;

  constructor(key: string, kind: "user" | "ending") {
    const count = () => this.drawings++;
    const shown = kind === "user" ? { key, text: `says ${key}`, attachments: 0 } : { key, ending: "stopped" };
    this.row = { ...shown, get kind() { count(); return kind; } } as unknown as Row;
  }
}

/** Draws rows as the transcript does, and tells what each was drawn since the last time. */
async function show(root: HTMLElement, rows: readonly Counted[], asked?: string): Promise<readonly boolean[]> {
  const parts = sections(rows.map(({ row }) => row));
  for (const each of rows) each.drawings = 0; // who a section is of is read from its rows
  render(<>{parts.map((part) => <SectionView key={part.key} section={part} asked={part.rows.some((row) => row.key === asked) ? asked : undefined} locale="en" />)}</>, root);
  await drawn();
  return rows.map(({ drawings }) => drawings > 0);
}

const conversation = () => [new Counted("a", "user"), new Counted("b", "ending"), new Counted("c", "ending"), new Counted("d", "user"), new Counted("e", "ending")];
const which = (drawings: readonly boolean[]) => drawings.map((each) => (each ? "x" : ".")).join("");

test("rows that are the same are not drawn again, whatever comes behind them", async () => {
  const root = stage();
  const rows = conversation();
  check(which(await show(root, rows)) === "xxxxx", "a row was not drawn at first");
  const later = [...rows.slice(0, 4), new Counted("e", "ending"), new Counted("f", "user")];
  const again = which(await show(root, later));
  check(again === "....xx", `with the last row changed and one more behind it, drawn again were ${again}`);
  check(root.querySelectorAll("article").length === 5, `${root.querySelectorAll("article").length} sections are shown`);
});

test("of a section that has changed only the rows that have are drawn", async () => {
  const root = stage();
  const rows = conversation();
  await show(root, rows);
  const again = which(await show(root, [rows[0]!, rows[1]!, new Counted("c", "ending"), rows[3]!, rows[4]!]));
  check(again === "..x..", `drawn again were ${again}`);
});

test("a row that is asked for is drawn as such, and no longer when it is not", async () => {
  const root = stage();
  const rows = conversation();
  await show(root, rows);
  check(which(await show(root, rows, "b")) === ".x...", "another row was drawn");
  check(root.querySelector("[data-asked]")?.getAttribute("data-row-key") === "b", "the row is not marked");
  await show(root, rows);
  check(root.querySelector("[data-asked]") === null, "the row is still marked");
});
