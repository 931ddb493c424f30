import { check, property, test } from "../testing/testing";
import type { Random } from "../testing/random";
import type { Rpc } from "../wire/rpc";
import type { HostFrame, SessionSummary, Workspace } from "../wire/types";
import { applyToArchived, applyToSessions, applyToWorkspaces, Lists } from "./lists";

interface State {
  readonly sessions: readonly SessionSummary[];
  readonly workspaces: readonly Workspace[];
  readonly archived: readonly string[];
}

const session = (sessionId: string): SessionSummary => ({ sessionId, title: "", updatedAt: 1, running: false, blank: true, cwd: "" });

/** What a host does next: its new state, and the frame that tells of it. */
function step(state: State, random: Random, n: number): readonly [State, HostFrame] {
  const some = state.sessions.length > 0 ? random.pick(state.sessions).sessionId : "";
  const change = (change: Partial<SessionSummary>) => ({ ...state, sessions: state.sessions.map((each) => (each.sessionId === some ? { ...each, ...change } : each)) });
  switch (some === "" ? 0 : random.integer(0, 5)) {
    case 0:
      return [{ ...state, sessions: [session(`s${n}`), ...state.sessions] }, { method: "host/session-added", payload: { sessionId: `s${n}`, blank: true, cwd: "" } }];
    case 1:
      return [
        { ...state, sessions: state.sessions.filter((each) => each.sessionId !== some), archived: state.archived.filter((each) => each !== some) },
        { method: "host/session-removed", payload: { sessionId: some } },
      ];
    case 2: {
      const running = random.chance(0.5);
      return [change({ running }), { method: "host/session-status", payload: { sessionId: some, running } }];
    }
    case 3:
      return [change({ title: `t${n}`, updatedAt: n, blank: false }), { method: "host/session-changed", payload: { sessionId: some, title: `t${n}`, updatedAt: n } }];
    case 4: {
      const archived = random.picks(state.sessions, 0, 2).map((each) => each.sessionId);
      return [{ ...state, archived }, { method: "host/archived-sessions-changed", payload: { archivedSessionIds: archived } }];
    }
    default: {
      const id = `w${random.integer(0, 3)}`;
      const known = state.workspaces.find((each) => each.workspaceId === id);
      const workspace = { workspaceId: id, path: `/${id}`, title: `${id} at ${n}`, sessionIds: [], createdAt: 0, updatedAt: n } as unknown as Workspace;
      const workspaces = known ? state.workspaces.map((each) => (each === known ? workspace : each)) : [workspace, ...state.workspaces];
      return [{ ...state, workspaces }, { method: "host/workspace-changed", payload: { workspace } }];
    }
  }
}

const empty: State = { sessions: [], workspaces: [], archived: [] };

/** What the lists show; when a session that came by a frame was last active is the page's own guess until the host says it. */
const shown = (state: State) => ({
  sessions: [...state.sessions].map((each) => ({ ...each, updatedAt: each.blank ? 0 : each.updatedAt })).sort((a, b) => a.sessionId.localeCompare(b.sessionId)),
  workspaces: [...state.workspaces].sort((a, b) => a.workspaceId.localeCompare(b.workspaceId)),
  archived: [...new Set(state.archived)].sort(),
});

const ofLists = (lists: Lists) => shown({ sessions: lists.sessions.value, workspaces: lists.workspaces.value, archived: [...lists.archived.value] });

/** A host whose answers come when the test says so; each is what the host was when it answered. */
class Host {
  readonly calls: { readonly method: string; answer: (state: State) => void }[] = [];
  readonly lists = new Lists({
    call: (method: string) =>
      new Promise((resolve) =>
        this.calls.push({
          method,
          answer: (state) => resolve(method === "session.list" ? { items: state.sessions } : { items: state.workspaces, archivedSessionIds: state.archived }),
        }),
      ),
  } as unknown as Rpc);
}

/** Lets everything happen that an answer brings about: nothing here waits for more than promises. */
const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 50; turns++) await undefined;
};

property("frames beside answers that are on their way, of several refreshes and in any order, end with what the host has", 200, async (random) => {
  const host = new Host();
  let state = empty;
  for (let n = 2; n < 6; n++) [state] = step(state, random, n);
  void host.lists.refresh();
  const answered: (() => void)[] = [];
  for (let n = 10; n < 40; n++) {
    if (random.chance(0.1)) void host.lists.refresh();
    if (random.chance(0.5)) {
      const [next, frame] = step(state, random, n);
      state = next;
      host.lists.apply(frame);
    }
    // The host answers now, and the answer is there later.
    if (host.calls.length > 0 && random.chance(0.3)) {
      const [call] = host.calls.splice(random.integer(0, host.calls.length - 1), 1);
      const asOf = state;
      answered.push(() => call!.answer(asOf));
    }
    if (answered.length > 0 && random.chance(0.4)) {
      answered.splice(random.integer(0, answered.length - 1), 1)[0]!();
      await settle();
    }
  }
  for (const call of host.calls) answered.push(() => call.answer(state));
  for (const each of random.shuffled(answered)) each();
  await settle();
  check.equal(ofLists(host.lists), shown(state), "lists");
});

property("the reducers do what the host did, also to frames that come twice", 200, (random) => {
  let state = empty;
  let page = empty;
  for (let n = 2; n < 40; n++) {
    const [next, frame] = step(state, random, n);
    state = next;
    for (let times = random.integer(1, 2); times > 0; times--) {
      page = {
        sessions: applyToSessions(page.sessions, frame), workspaces: applyToWorkspaces(page.workspaces, frame), archived: applyToArchived(page.archived, frame),
      };
    }
  }
  check.equal(shown(page), shown(state), "lists");
});

test("a late answer to an earlier refresh says nothing", async () => {
  const host = new Host();
  void host.lists.refresh();
  void host.lists.refresh();
  const [first, , second] = host.calls;
  second!.answer({ ...empty, sessions: [session("new")] });
  await settle();
  host.lists.apply({ method: "host/session-status", payload: { sessionId: "new", running: true } });
  first!.answer(empty);
  await settle();
  check.equal(host.lists.sessions.value.map((each) => [each.sessionId, each.running]), [["new", true]], "sessions");
});
