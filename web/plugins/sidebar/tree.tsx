import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { groupBy, IconButton, locale, now, openSession, openStart, relativeTime, toggledGroups, unread, useClient } from "keylane";
import { useRowActions } from "./actions";
import { siblingsOf, useTreeDrag, type TreeDrag } from "./dragging";
import { grouped, groupRowId, isExpanded, rowsOf, type Group, type TreeRow } from "./groups";
import { step, TypeAhead } from "./keyboard";
import { t } from "./messages";
import { GroupRow, nameOf, SessionRow, titleOf, type RowHandler } from "./row";
import { useSight } from "./sight";
import { added } from "./view";

/**
 * The sessions as a tree with one tab stop. Arrows, Home, End and letters move in it, Left and Right fold, Enter opens, Shift+F10 or the
 * menu key opens a row's menu, Alt with an arrow moves a session among those of its workspace, or a workspace; so does a drag. Only rows
 * that are on screen or near it are drawn (windowing.ts), so a row's element may not be there: `go` and `seek` see to it.
 */
export function SessionTree() {
  const client = useClient();
  const tree = useRef<HTMLDivElement>(null);
  const focused = useSignal<string | undefined>(undefined);
  const told = useSignal("");
  const letters = useMemo(() => new TypeAhead(), []);
  /** A drag has just ended: the click that follows is no click. */
  const dragged = useRef(false);
  const begin = (workspaceId: string) => {
    client.chosenWorkspace.value = workspaceId;
    openStart();
  };
  const actions = useRowActions(begin, () => focusOn(stop));

  const openId = client.open.value?.id;
  const groups = useComputed(() => {
    const open = client.open.value?.id;
    const sessions = client.lists.sessions.value.filter((item) => !item.blank || item.running || item.sessionId === open);
    return grouped({ sessions, workspaces: client.lists.workspaces.value, archived: client.lists.archived.value }, groupBy.value.value);
  });
  const all = useComputed(() => rowsOf(groups.value, toggledGroups.values.value));
  const rows = all.value;
  const places = useComputed(() => new Map(all.value.map((row, index) => [row.id, index])));
  const indexOf = (id: string | undefined) => (id === undefined ? -1 : (places.value.get(id) ?? -1));
  const element = (id: string) => tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  const sight = useSight(tree, rows);
  const drag = useTreeDrag(tree, rows, sight);

  /** The row that gets the focus as soon as it is drawn. */
  const owed = useRef<string | undefined>(undefined);
  const focusOn = (id: string | undefined) => {
    if (id === undefined) return;
    focused.value = id; // what has the tab stop is drawn
    owed.current = id;
    settle();
  };
  const settle = () => {
    const target = owed.current === undefined ? undefined : element(owed.current);
    if (!target) return;
    owed.current = undefined;
    target.focus({ preventScroll: true });
  };
  const go = (index: number) => {
    sight.reveal(index);
    focusOn(rows[index]?.id);
  };

  // The row that had the focus is gone, or was moved and lost it on the way: it, or what is in its place, gets it back.
  const inside = tree.current?.contains(document.activeElement) ?? false;
  const place = useRef(0);
  useLayoutEffect(() => {
    settle();
    if (inside && document.activeElement === document.body) go(indexOf(focused.value) < 0 ? Math.min(place.current, rows.length - 1) : indexOf(focused.value));
    place.current = Math.max(0, indexOf(focused.value));
  });

  /** The row that is to be seen as soon as it is there. */
  const sought = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    sought.current = openId;
    const group = groups.value.find((each) => each.sessions.some((item) => item.sessionId === openId));
    if (group && !isExpanded(group, toggledGroups.values.value)) toggle(group);
  }, [openId]);
  useLayoutEffect(() => {
    if (added.value !== undefined) sought.current = groupRowId(added.value);
    added.value = undefined;
  }, [added.value]);
  useLayoutEffect(() => {
    const at = indexOf(sought.current);
    if (at < 0) return;
    sought.current = undefined;
    sight.reveal(at);
  });

  const toggle = (group: Group) => toggledGroups.put(group.id, !toggledGroups.values.value.has(group.id));
  const drawn: Drawn = { rowOf: (id) => rows[indexOf(id)], rows, actions, drag };
  const latest = useRef(drawn);
  latest.current = drawn;
  /** True once after a drag. */
  const wasDragged = () => {
    const was = dragged.current;
    dragged.current = false;
    return was;
  };

  const handler = useMemo<RowHandler>(() => ({
    focus: (rowId) => (focused.value = rowId),
    toggle: (group) => {
      if (!wasDragged() && group.sessions.length > 0) toggle(group);
    },
    open: (event, sessionId) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      if (!wasDragged()) openSession(sessionId);
    },
    actions: (rowId, button) => {
      const row = latest.current.rowOf(rowId);
      if (row) latest.current.actions.open(row, button);
    },
    begin,
    press: (event, rowId) => {
      dragged.current = false;
      const row = latest.current.rowOf(rowId);
      if (row && siblingsOf(row, latest.current.rows).length > 1) latest.current.drag.start(event, rowId);
    },
  }), []);

  /** The row with the tab stop. */
  const stop = [focused.value, openId].find((id) => indexOf(id) >= 0) ?? rows[0]?.id;
  if (rows.length === 0) return <p class="sidebar-note">{t("empty")}</p>;

  /** Puts a row in front of the one at a position of its siblings, or at the end. */
  async function moveTo(row: TreeRow, to: number): Promise<void> {
    const siblings = siblingsOf(row, rows).map((index) => rows[index]?.id);
    const from = siblings.indexOf(row.id);
    if (from < 0 || to < 0 || to > siblings.length || to === from || to === from + 1) return;
    told.value = "";
    const before = siblings[to];
    const moved = row.kind === "session"
      ? await latest.current.actions.attempt("notMoved", () => client.sessions.move(row.id, before))
      : await latest.current.actions.attempt("notPlaced", () => client.workspaces.move(row.group.id, to < siblings.length ? workspaceAt(before) : undefined));
    if (moved) told.value = t("moved", { place: to > from ? to : to + 1, n: siblings.length });
  }
  function workspaceAt(rowId: string | undefined): string | undefined {
    return rows[indexOf(rowId)]?.group.workspace?.workspaceId;
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const active = document.activeElement;
    const onButton = active instanceof HTMLButtonElement;
    const at = indexOf(active?.closest<HTMLElement>(".tree-row")?.dataset.row);
    const row = rows[at];
    if (!row || (onButton && /^(Enter| )$/.test(event.key))) return;
    if (event.key === "Enter" && row.kind === "session" && !event.altKey) { // as on any link: with a modifier in a tab or window of its own
      const { ctrlKey, metaKey, shiftKey } = event;
      event.preventDefault();
      element(row.id)?.querySelector("a")?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const handled = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (event.key === "Escape") {
      if (!drag.cancel()) return;
      dragged.current = true;
      handled();
    } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      const anchor = element(row.id);
      if (anchor) actions.open(row, anchor);
      handled();
    } else if (event.altKey) {
      const from = siblingsOf(row, rows).indexOf(at);
      const to = from + ({ ArrowUp: -1, ArrowDown: 2 }[event.key] ?? Number.NaN);
      if (Number.isNaN(to)) return;
      handled();
      void moveTo(row, to);
    } else if (event.key.length === 1 && event.key !== "?" && (event.key !== " " || letters.typing(event.timeStamp))) {
      const names = rows.map((each) => (each.kind === "session" ? titleOf(each.item) : nameOf(each.group)));
      const index = letters.find(event.key, event.timeStamp, names, at);
      if (index !== undefined) go(index);
      handled();
    } else {
      letters.end();
      const next = step(event.key, rows, at);
      if (next === undefined && (event.key !== " " || row.kind === "group")) return;
      handled();
      if (next === undefined) openSession(row.id);
      else if ("go" in next) go(next.go);
      else toggle(next.toggle);
    }
  };

  const drop = () => {
    const dropped = drag.drop();
    if (!dropped) return;
    dragged.current = true;
    void moveTo(dropped.row, dropped.to);
  };

  const shared = { locale: locale.value, handler };
  const stateOf = (id: string, running: boolean) =>
    client.waiting.value.has(id) ? ("waiting" as const) : running || (id === openId && client.running.value) ? ("running" as const) : unread.values.value.has(id) ? ("unread" as const) : undefined;
  const draw = (row: TreeRow, index: number) => {
    const place = { ...shared, place: row.place, of: row.of, tabStop: row.id === stop, menuOpen: row.id === actions.menuOf, drag: drag.markOf(row, index) };
    if (row.kind === "group") return <GroupRow key={row.id} {...place} group={row.group} expanded={row.expanded} />;
    return (
      <SessionRow
        key={row.id}
        {...place}
        item={row.item}
        level={row.level}
        selected={row.id === openId}
        state={stateOf(row.id, row.item.running)}
        time={relativeTime(row.item.updatedAt, now.value)}
      />
    );
  };
  return (
    <>
      <div
        class="tree"
        role="tree"
        aria-label={t("sessions")}
        ref={tree}
        data-grouped={groupBy.value.value === "workspace"}
        onScroll={sight.look}
        onKeyDown={onKeyDown}
        onPointerMove={drag.move}
        onPointerUp={drop}
        onPointerCancel={drag.cancel}
      >
        <div role="none" class="tree-rows" style={{ minHeight: `${sight.height}px` }}>
          {sight.drawn([stop, actions.openFor, drag.sourceId].map(indexOf)).map((piece) => {
            if ("space" in piece) return <div key={`space before ${piece.before}`} role="none" style={{ height: `${piece.space}px` }} />;
            const row = rows[piece.row];
            return row && draw(row, piece.row);
          })}
        </div>
      </div>
      {actions.layer}
      {told.value && <p class="visually-hidden" role="status">{told.value}</p>}
      {actions.failure && (
        <div class="sidebar-failure" role="alert">
          <p>{t(actions.failure.what)} {actions.failure.error.message} <code>{actions.failure.error.code}</code></p>
          <IconButton icon="x" label={t("dismiss")} onClick={actions.dismiss} />
        </div>
      )}
    </>
  );
}

/** What the last drawing knew, for handlers that outlive it. */
interface Drawn {
  readonly rowOf: (id: string) => TreeRow | undefined;
  readonly rows: readonly TreeRow[];
  readonly actions: ReturnType<typeof useRowActions>;
  readonly drag: TreeDrag;
}
