// What the sidebar shows, in order: sessions in groups, one for each folder, or
// in one list. Pure: the same lists give the same groups.

import type { SessionSummary, Workspace } from "keylane";

export interface Group {
  /** A workspace's id, or one of the three that follow. */
  readonly id: string;
  /** `list` has no row of its own. */
  readonly kind: "workspace" | "ungrouped" | "archived" | "list";
  /** The workspace's title, with the folders it lies in where two have the same; "" for what has no folder. */
  readonly title: string;
  readonly workspace?: Workspace;
  readonly sessions: readonly SessionSummary[];
}

export interface Lists {
  /** Newest activity first. */
  readonly sessions: readonly SessionSummary[];
  readonly workspaces: readonly Workspace[];
  readonly archived: ReadonlySet<string>;
}

/**
 * The groups there are: folders in the order given, then the sessions that are in none of them, then what was put away. A folder that a
 * person registered is there without sessions too, so that one can begin in it.
 */
export function grouped({ sessions, workspaces, archived }: Lists, by: "workspace" | "none"): readonly Group[] {
  const shown = sessions.filter((item) => !archived.has(item.sessionId));
  const groups: Group[] = [];
  if (by === "none") {
    groups.push({ id: "list", kind: "list", title: "", sessions: shown });
  } else {
    const byFolder = byKey(shown, folder);
    const known = new Set(workspaces.map((each) => each.path));
    const titles = distinguished(workspaces);
    for (const each of workspaces) {
      const own = byFolder.get(each.path) ?? [];
      groups.push({ id: each.workspaceId, kind: "workspace", title: titles.get(each.workspaceId) ?? each.title, workspace: each, sessions: arranged(own, each.order) });
    }
    groups.push({ id: "ungrouped", kind: "ungrouped", title: "", sessions: shown.filter((item) => !known.has(folder(item))) });
  }
  groups.push({ id: "archived", kind: "archived", title: "", sessions: sessions.filter((item) => archived.has(item.sessionId)) });
  return groups.filter((group) => group.sessions.length > 0 || (group.workspace && !group.workspace.provisional));
}

function byKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The host's rule: what has no fixed place comes first, newest activity first; then what was put in an order by hand. */
function arranged(sessions: readonly SessionSummary[], order: readonly string[]): readonly SessionSummary[] {
  if (order.length === 0) return sessions;
  const byId = new Map(sessions.map((item) => [item.sessionId, item]));
  const fixed = new Set(order);
  return [...sessions.filter((item) => !fixed.has(item.sessionId)), ...order.flatMap((id) => byId.get(id) ?? [])];
}

function folder(item: SessionSummary): string {
  return item.cwd.replace(/(?<=.)[\\/]+$/, "");
}

/** What each workspace is called by id: its title, and where several have one, as many of the folders above it as tell it from the others. */
export function distinguished(workspaces: readonly Workspace[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const twins of byKey(workspaces, (each) => each.title.toLowerCase()).values()) {
    const above = twins.map((each) => each.path.split(/[\\/]/).filter(Boolean).slice(0, -1));
    const last = (at: number, count: number) => above[at]?.slice(-count).join("/") ?? "";
    twins.forEach((each, at) => {
      let count = 1;
      while (count < (above[at]?.length ?? 0) && twins.some((_, other) => other !== at && last(other, count) === last(at, count))) count++;
      names.set(each.workspaceId, twins.length > 1 && last(at, count) ? `${each.title} (${last(at, count)})` : each.title);
    });
  }
  return names;
}

/** One row of the tree. `expanded` is undefined for a group without sessions: there is nothing to unfold. */
export type TreeRow =
  | { readonly kind: "group"; readonly id: string; readonly group: Group; readonly expanded: boolean | undefined; readonly place: number; readonly of: number }
  | { readonly kind: "session"; readonly id: string; readonly group: Group; readonly item: SessionSummary; readonly level: 1 | 2; readonly place: number; readonly of: number };

/** Whether a group is unfolded: the archived sessions are folded until a person unfolds them, all others the other way round. */
export function isExpanded(group: Group, toggled: ReadonlySet<string>): boolean {
  return group.kind === "list" || toggled.has(group.id) === (group.kind === "archived");
}

/** The id of a group's own row. */
export function groupRowId(groupId: string): string {
  return `group ${groupId}`;
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
    return [{ kind: "group", id: groupRowId(group.id), group, expanded: group.sessions.length > 0 ? expanded : undefined, place, of: listed + headed.length }, ...sessions];
  });
}
