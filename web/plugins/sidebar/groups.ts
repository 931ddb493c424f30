// What the sidebar shows, in order: sessions in groups, one for each folder, or
// in one list. Pure: the same lists give the same groups.

import type { SessionSummary, Workspace } from "keylane";

export interface Group {
  /** A workspace's id, or one of the three that follow. */
  readonly id: string;
  /** `list` has no row of its own. */
  readonly kind: "workspace" | "ungrouped" | "archived" | "list";
  /** The folder's name, with the folder it lies in where two have the same; "" for what has no folder. */
  readonly title: string;
  readonly sessions: readonly SessionSummary[];
}

export interface Lists {
  /** Newest activity first. */
  readonly sessions: readonly SessionSummary[];
  readonly workspaces: readonly Workspace[];
  readonly archived: ReadonlySet<string>;
}

/** The groups that have sessions: folders in the order given, then what is in none of them, then what was put away. */
export function grouped({ sessions, workspaces, archived }: Lists, by: "workspace" | "none"): readonly Group[] {
  const shown = sessions.filter((item) => !archived.has(item.sessionId));
  const groups: Group[] = [];
  if (by === "none") {
    groups.push({ id: "list", kind: "list", title: "", sessions: shown });
  } else {
    const known = new Set(workspaces.map((each) => each.path));
    for (const each of workspaces) {
      const own = shown.filter((item) => folder(item) === each.path);
      groups.push({ id: each.workspaceId, kind: "workspace", title: titleOf(each, workspaces), sessions: arranged(own, each.order) });
    }
    groups.push({ id: "ungrouped", kind: "ungrouped", title: "", sessions: shown.filter((item) => !known.has(folder(item))) });
  }
  groups.push({ id: "archived", kind: "archived", title: "", sessions: sessions.filter((item) => archived.has(item.sessionId)) });
  return groups.filter((group) => group.sessions.length > 0);
}

/** The host's rule: what has no fixed place comes first, newest activity first; then what was put in an order by hand. */
function arranged(sessions: readonly SessionSummary[], order: readonly string[]): readonly SessionSummary[] {
  const byId = new Map(sessions.map((item) => [item.sessionId, item]));
  const fixed = new Set(order);
  return [...sessions.filter((item) => !fixed.has(item.sessionId)), ...order.flatMap((id) => byId.get(id) ?? [])];
}

function folder(item: SessionSummary): string {
  return item.cwd.replace(/(?<=.)[\\/]+$/, "");
}

function titleOf(workspace: Workspace, all: readonly Workspace[]): string {
  const twins = all.some((other) => other.title === workspace.title && other.workspaceId !== workspace.workspaceId);
  const parent = workspace.path.split(/[\\/]/).at(-2);
  return twins && parent ? `${workspace.title} (${parent})` : workspace.title;
}

/** One row of the tree. */
export type TreeRow =
  | { readonly kind: "group"; readonly id: string; readonly group: Group; readonly expanded: boolean; readonly place: number; readonly of: number }
  | { readonly kind: "session"; readonly id: string; readonly group: Group; readonly item: SessionSummary; readonly level: 1 | 2; readonly place: number; readonly of: number };

/** Whether a group is unfolded: the archived sessions are folded until a person unfolds them, all others the other way round. */
export function isExpanded(group: Group, toggled: ReadonlySet<string>): boolean {
  return group.kind === "list" || toggled.has(group.id) === (group.kind === "archived");
}

/** The rows that are there, top to bottom. */
export function rowsOf(groups: readonly Group[], toggled: ReadonlySet<string>): readonly TreeRow[] {
  const listed = groups.find((group) => group.kind === "list")?.sessions.length ?? 0;
  const headed = groups.filter((group) => group.kind !== "list");
  return groups.flatMap((group): readonly TreeRow[] => {
    const flat = group.kind === "list";
    const expanded = isExpanded(group, toggled);
    const sessions = !expanded ? [] : group.sessions.map((item, index): TreeRow => ({
      kind: "session", id: item.sessionId, group, item, level: flat ? 1 : 2, place: index + 1, of: group.sessions.length + (flat ? headed.length : 0),
    }));
    if (flat) return sessions;
    const place = listed + headed.indexOf(group) + 1;
    return [{ kind: "group", id: `group ${group.id}`, group, expanded, place, of: listed + headed.length }, ...sessions];
  });
}
