import { check, property, test } from "../../testing/testing";
import type { SessionSummary, Workspace } from "../../wire/types";
import { titleTaken } from "../../model/workspaces";
import { distinguished, grouped, rowsOf } from "./groups";

const session = (sessionId: string, cwd = "/a", updatedAt = 0): SessionSummary => ({ sessionId, title: sessionId, updatedAt, running: false, blank: false, cwd });
const workspace = (path: string, order: readonly string[] = [], more: Partial<Workspace> = {}): Workspace => ({
  workspaceId: `w${path}`, path, title: path.split("/").at(-1) ?? "", sessionIds: [], order, createdAt: 0, updatedAt: 0, ...more,
});
const shape = (groups: ReturnType<typeof grouped>) => groups.map((group) => `${group.kind} ${group.title}: ${group.sessions.map((item) => item.sessionId).join(" ")}`);

test("folders come first, then what is in none, then what was put away; of empty groups those that a person registered are there", () => {
  const sessions = [session("s1"), session("s2", "/b/"), session("s3", "/nowhere"), session("s4"), session("s5", "")];
  const lists = { sessions, workspaces: [workspace("/a"), workspace("/b"), workspace("/c"), workspace("/d", [], { provisional: true })], archived: new Set(["s4"]) };
  check.equal(shape(grouped(lists, "workspace")), ["workspace a: s1", "workspace b: s2", "workspace c: ", "ungrouped : s3 s5", "archived : s4"], "groups");
  check.equal(shape(grouped(lists, "none")), ["list : s1 s2 s3 s5", "archived : s4"], "one list");
});

test("folders of one name are told apart by as many of the folders above them as it takes", () => {
  const titles = (...all: readonly Workspace[]) => [...distinguished(all).values()];
  check.equal(titles(workspace("/x/docs"), workspace("/y/docs"), workspace("/docs2")), ["docs (x)", "docs (y)", "docs2"], "parents");
  check.equal(titles(workspace("/x/src/app"), workspace("/y/src/app"), workspace("/y/lib/app")), ["app (x/src)", "app (y/src)", "app (lib)"], "grandparents");
  check.equal(titles(workspace("/app"), workspace("/x/app"), workspace("/x/x/app")), ["app", "app (x)", "app (x/x)"], "one above the other");
  check.equal(titles(workspace("/x/a", [], { title: "Plans" }), workspace("/y/plans")), ["Plans (x)", "plans (y)"], "letters of either case");
  check.equal(titles(workspace("C:\\x\\app", [], { title: "app" }), workspace("C:\\y\\app", [], { title: "app" })), ["app (x)", "app (y)"], "other separators");
});

property("no two folders are called alike", 200, (random) => {
  const paths = Array.from({ length: random.integer(1, 12) }, () => "/" + Array.from({ length: random.integer(1, 4) }, () => random.pick(["a", "b", "app"])).join("/"));
  const names = [...distinguished([...new Set(paths)].map((path) => workspace(path))).values()];
  check.equal(new Set(names).size, names.length, `names ${names.join(", ")}`);
});

test("a title that another one has is taken, in letters of either case; its own is not", () => {
  const all = [workspace("/a", [], { title: "The Garden" }), workspace("/b")];
  check.equal(["the garden", " The  garden ", "Garden", "", "b"].map((title) => titleTaken(title, all, "w/b")), [true, true, false, false, false], "taken");
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
