// The two lists of the sidebar: sessions and workspaces. They have no baseline
// frames; a call fetches each, and frames that arrive meanwhile are applied to
// the answer as well, so that nothing is lost between the two.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Rpc, RpcError } from "../wire/rpc";
import type { HostFrame, ListProblem, SessionSummary, Workspace } from "../wire/types";

export class Lists {
  readonly #sessions = signal<readonly SessionSummary[] | undefined>(undefined);
  readonly #workspaces = signal<readonly Workspace[] | undefined>(undefined);
  /** Frames since the running list calls were sent, undefined when none runs. */
  #meanwhile: HostFrame[] | undefined;

  /** Newest first. */
  readonly sessions: ReadonlySignal<readonly SessionSummary[]> = computed(() =>
    [...(this.#sessions.value ?? [])].sort((a, b) => b.updatedAt - a.updatedAt || a.sessionId.localeCompare(b.sessionId)),
  );
  readonly workspaces: ReadonlySignal<readonly Workspace[]> = computed(() => this.#workspaces.value ?? []);
  /** Both lists have been fetched at least once. */
  readonly loaded: ReadonlySignal<boolean> = computed(() => this.#sessions.value !== undefined && this.#workspaces.value !== undefined);
  /** Why the last fetch failed, while the lists aren't there. */
  readonly error = signal<RpcError | undefined>(undefined);
  /** A file of the host that cannot be read, so that folders are missing from the lists. */
  readonly problem = signal<ListProblem | undefined>(undefined);

  constructor(readonly rpc: Rpc) {}

  async refresh(): Promise<void> {
    const meanwhile: HostFrame[] = (this.#meanwhile = []);
    const results = await Promise.allSettled([
      this.rpc.call("session.list", {}).then((answer) => {
        this.#sessions.value = meanwhile.reduce(applyToSessions, answer.items);
      }),
      this.rpc.call("workspace.list", {}).then((answer) => {
        this.#workspaces.value = meanwhile.reduce(applyToWorkspaces, answer.items);
        this.problem.value = answer.problem;
      }),
    ]);
    if (this.#meanwhile === meanwhile) this.#meanwhile = undefined;
    this.error.value = results.find((result) => result.status === "rejected")?.reason as RpcError | undefined;
  }

  apply(frame: HostFrame): void {
    this.#meanwhile?.push(frame);
    if (this.#sessions.value) this.#sessions.value = applyToSessions(this.#sessions.value, frame);
    if (this.#workspaces.value) this.#workspaces.value = applyToWorkspaces(this.#workspaces.value, frame);
  }

  find(sessionId: string): SessionSummary | undefined {
    return this.#sessions.value?.find((item) => item.sessionId === sessionId);
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

/** Applies a frame to a list of workspaces. */
export function applyToWorkspaces(workspaces: readonly Workspace[], frame: HostFrame): readonly Workspace[] {
  if (frame.method !== "host/workspace-changed") return workspaces;
  const changed = frame.payload.workspace;
  const known = workspaces.some((item) => item.workspaceId === changed.workspaceId);
  return known ? workspaces.map((item) => (item.workspaceId === changed.workspaceId ? changed : item)) : [changed, ...workspaces];
}
