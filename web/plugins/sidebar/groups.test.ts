import { check, property, test } from "../../testing/testing";
import type { SessionSummary, Workspace } from "../../wire/types";
import { grouped, rowsOf } from "./groups";

const session = (sessionId: string, cwd = "/a", updatedAt = 0): SessionSummary => ({ sessionId, title: sessionId, updatedAt, running: false, blank: false, cwd });
const workspace = (path: string, order: readonly string[] = []): Workspace => ({
  workspaceId: `w${path}`, path, title: path.split("/").at(-1) ?? "", sessionIds: [], order, createdAt: 0, updatedAt: 0,
});
const shape = (groups: ReturnType<typeof grouped>) => groups.map((group) => `${group.kind} ${group.title}: ${group.sessions.map((item) => item.sessionId).join(" ")}`);

test("folders come first, then what is in none, then what was put away; an empty group is not there", () => {
  const sessions = [session("s1"), session("s2", "/b/"), session("s3", "/nowhere"), session("s4"), session("s5", "")];
  const lists = { sessions, workspaces: [workspace("/a"), workspace("/b"), workspace("/c")], archived: new Set(["s4"]) };
  check.equal(shape(grouped(lists, "workspace")), ["workspace a: s1", "workspace b: s2", "ungrouped : s3 s5", "archived : s4"], "groups");
  check.equal(shape(grouped(lists, "none")), ["list : s1 s2 s3 s5", "archived : s4"], "one list");
});

test("folders of one name are told apart by where they lie", () => {
  const lists = { sessions: [session("s1", "/x/docs"), session("s2", "/y/docs")], workspaces: [workspace("/x/docs"), workspace("/y/docs")], archived: new Set<string>() };
  check.equal(grouped(lists, "workspace").map((group) => group.title), ["docs (x)", "docs (y)"], "titles");
});

test("what has no fixed place stands above what has one", () => {
  const lists = { sessions: ["new", "b", "newer", "a"].map((id) => session(id)), workspaces: [workspace("/a", ["a", "gone", "b"])], archived: new Set<string>() };
  check.equal(shape(grouped(lists, "workspace")), ["workspace a: new newer a b"], "order");
});

property("every session has one row, whatever is arranged and put away", 200, (random) => {
  const ids = Array.from({ length: random.integer(1, 12) }, (_, index) => `s${index}`);
  const sessions = ids.map((id) => session(id, random.pick(["/a", "/b", "/nowhere", ""])));
  const lists = {
    sessions,
    workspaces: [workspace("/a", random.picks([...ids, "gone"], 0, 6).filter((id, at, all) => all.indexOf(id) === at)), workspace("/b")],
    archived: new Set(random.picks(ids, 0, 3)),
  };
  for (const by of ["workspace", "none"] as const) {
    const rows = rowsOf(grouped(lists, by), new Set(["archived"]));
    check.equal(rows.flatMap((row) => (row.kind === "session" ? [row.id] : [])).sort(), [...ids].sort(), by);
    check(rows.every((row) => row.place >= 1 && row.place <= row.of), "a place is outside of its set");
  }
});
