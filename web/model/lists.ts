// The two lists of the sidebar: sessions and workspaces. They have no baseline
// frames; a call fetches each, and frames that arrive meanwhile are applied to
// the answer as well, so that nothing is lost between the two.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Rpc, RpcError } from "../wire/rpc";
import type { HostFrame, ListProblem, SessionSummary, Workspace } from "../wire/types";

export class Lists {
  readonly #sessions = signal<readonly SessionSummary[] | undefined>(undefined);
  readonly #workspaces = signal<readonly Workspace[] | undefined>(undefined);
  readonly #archived = signal<readonly string[]>([]);
  /** For each refresh that runs, the frames since it was asked for. */
  readonly #running = new Set<HostFrame[]>();
  /** How many refreshes were asked for, and the latest one whose answer each list is from: an older one that comes late says nothing. */
  #asked = 0;
  #sessionsOf = 0;
  #workspacesOf = 0;

  /** Newest first. */
  readonly sessions: ReadonlySignal<readonly SessionSummary[]> = computed(() =>
    [...(this.#sessions.value ?? [])].sort((a, b) => b.updatedAt - a.updatedAt || a.sessionId.localeCompare(b.sessionId)),
  );
  /** In the order that a person gave them; what is new is last. */
  readonly workspaces: ReadonlySignal<readonly Workspace[]> = computed(() => this.#workspaces.value ?? []);
  /** Sessions that a person has put away. */
  readonly archived: ReadonlySignal<ReadonlySet<string>> = computed(() => new Set(this.#archived.value));
  /** Both lists have been fetched at least once. */
  readonly loaded: ReadonlySignal<boolean> = computed(() => this.#sessions.value !== undefined && this.#workspaces.value !== undefined);
  /** Why the last fetch failed, while the lists aren't there. */
  readonly error = signal<RpcError | undefined>(undefined);
  /** A file of the host that cannot be read, so that folders are missing from the lists. */
  readonly problem = signal<ListProblem | undefined>(undefined);

  constructor(readonly rpc: Rpc) {}

  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    const meanwhile: HostFrame[] = [];
    this.#running.add(meanwhile);
    const results = await Promise.allSettled([
      this.rpc.call("session.list", {}).then((answer) => {
        if (asked < this.#sessionsOf) return;
        this.#sessionsOf = asked;
        this.#sessions.value = meanwhile.reduce(applyToSessions, answer.items);
      }),
      this.rpc.call("workspace.list", {}).then((answer) => {
        if (asked < this.#workspacesOf) return;
        this.#workspacesOf = asked;
        this.#workspaces.value = meanwhile.reduce(applyToWorkspaces, answer.items);
        this.#archived.value = meanwhile.reduce(applyToArchived, answer.archivedSessionIds);
        this.problem.value = answer.problem;
      }),
    ]);
    this.#running.delete(meanwhile);
    if (asked === this.#asked) this.error.value = results.find((result) => result.status === "rejected")?.reason as RpcError | undefined;
  }

  apply(frame: HostFrame): void {
    for (const meanwhile of this.#running) meanwhile.push(frame);
    if (this.#sessions.value) this.#sessions.value = applyToSessions(this.#sessions.value, frame);
    if (this.#workspaces.value) this.#workspaces.value = applyToWorkspaces(this.#workspaces.value, frame);
    this.#archived.value = applyToArchived(this.#archived.value, frame);
  }

  find(sessionId: string): SessionSummary | undefined {
    return this.#sessions.value?.find((item) => item.sessionId === sessionId);
  }

  /** The session to show in the place of one that goes: the next older one, else the next newer; none that is archived or blank. */
  beside(sessionId: string): string | undefined {
    const all = this.sessions.value;
    const at = all.findIndex((item) => item.sessionId === sessionId);
    const near = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0)).reverse()];
    return near.find((item) => !item.blank && !this.archived.value.has(item.sessionId))?.sessionId;
  }
}

/** Applies a frame to a list of sessions; the same list when it says nothing about them. */
export function applyToSessions(sessions: readonly SessionSummary[], frame: HostFrame): readonly SessionSummary[] {
  switch (frame.method) {
    case "host/session-added": {
      const { sessionId, blank, cwd } = frame.payload;
      if (sessions.some((item) => item.sessionId === sessionId)) return sessions;
      return [{ sessionId, title: "", updatedAt: Date.now(), running: false, blank, cwd: cwd ?? "" }, ...sessions];
    }
    case "host/session-removed":
      return sessions.filter((item) => item.sessionId !== frame.payload.sessionId);
    case "host/session-status":
      return patch(sessions, frame.payload.sessionId, { running: frame.payload.running });
    case "host/session-changed": {
      const { sessionId, title, updatedAt } = frame.payload;
      return patch(sessions, sessionId, { title, updatedAt, blank: false });
    }
    default:
      return sessions;
  }
}

function patch(sessions: readonly SessionSummary[], sessionId: string, change: Partial<SessionSummary>): readonly SessionSummary[] {
  return sessions.map((item) => (item.sessionId === sessionId ? { ...item, ...change } : item));
}

/** Applies a frame to the archived sessions. */
export function applyToArchived(archived: readonly string[], frame: HostFrame): readonly string[] {
  switch (frame.method) {
    case "host/archived-sessions-changed":
      return frame.payload.archivedSessionIds;
    case "host/session-removed":
      return archived.filter((id) => id !== frame.payload.sessionId);
    default:
      return archived;
  }
}

/** Applies a frame to a list of workspaces. */
export function applyToWorkspaces(workspaces: readonly Workspace[], frame: HostFrame): readonly Workspace[] {
  switch (frame.method) {
    case "host/workspace-changed": {
      const changed = frame.payload.workspace;
      const known = workspaces.some((item) => item.workspaceId === changed.workspaceId);
      return known ? workspaces.map((item) => (item.workspaceId === changed.workspaceId ? changed : item)) : [...workspaces, changed];
    }
    case "host/workspace-removed":
      return workspaces.filter((item) => item.workspaceId !== frame.payload.workspaceId);
    case "host/workspaces-ordered": {
      const places = new Map(frame.payload.workspaceIds.map((id, place) => [id, place]));
      const placeOf = (item: Workspace) => places.get(item.workspaceId) ?? places.size;
      return [...workspaces].sort((a, b) => placeOf(a) - placeOf(b));
    }
    default:
      return workspaces;
  }
}
