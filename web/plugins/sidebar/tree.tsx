import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { groupBy, IconButton, locale, now, openSession, relativeTime, RowDrag, toggledGroups, unread, useClient } from "keylane";
import { useSessionActions } from "./actions";
import { grouped, isExpanded, rowsOf, type Group, type TreeRow } from "./groups";
import { step, TypeAhead } from "./keyboard";
import { t } from "./messages";
import { GroupRow, SessionRow, titleOf, type RowHandler } from "./row";

/**
 * The sessions as a tree with one tab stop. Arrows, Home, End and letters move in it, Left and Right fold, Enter opens, Shift+F10 or the
 * menu key opens a row's menu, Alt with an arrow moves a session among those of its folder; so does a drag.
 */
export function SessionTree() {
  const client = useClient();
  const tree = useRef<HTMLDivElement>(null);
  const focused = useSignal<string | undefined>(undefined);
  const told = useSignal("");
  const drag = useMemo(() => new RowDrag(), []);
  const letters = useMemo(() => new TypeAhead(), []);
  /** A drag has just ended: the click that follows is no click. */
  const dragged = useRef(false);
  const actions = useSessionActions(() => tree.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true }));

  const openId = client.open.value?.id;
  const groups = useComputed(() => {
    const open = client.open.value?.id;
    const sessions = client.lists.sessions.value.filter((item) => !item.blank || item.running || item.sessionId === open);
    return grouped({ sessions, workspaces: client.lists.workspaces.value, archived: client.lists.archived.value }, groupBy.value.value);
  });
  const rows = rowsOf(groups.value, toggledGroups.values.value);
  const indexOf = (id: string | undefined) => rows.findIndex((row) => row.id === id);
  const element = (id: string) => tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  const go = (index: number) => {
    const row = rows[index];
    if (!row) return;
    element(row.id)?.focus({ preventScroll: true });
    element(row.id)?.scrollIntoView({ block: "nearest" });
  };

  // The row that had the focus is gone, or was moved and lost it on the way: it, or what is in its place, gets it back.
  const inside = tree.current?.contains(document.activeElement) ?? false;
  const place = useRef(0);
  useLayoutEffect(() => {
    if (inside && document.activeElement === document.body) go(indexOf(focused.value) < 0 ? Math.min(place.current, rows.length - 1) : indexOf(focused.value));
    place.current = Math.max(0, indexOf(focused.value));
  });

  // What was opened is to be seen.
  useLayoutEffect(() => {
    const group = groups.value.find((each) => each.sessions.some((item) => item.sessionId === openId));
    if (group && !isExpanded(group, toggledGroups.values.value)) toggle(group);
    if (openId !== undefined) element(openId)?.scrollIntoView({ block: "nearest" });
  }, [openId]);

  const toggle = (group: Group) => toggledGroups.put(group.id, !toggledGroups.values.value.has(group.id));
  const drawn: Drawn = { rows, actions, moveTo };
  const latest = useRef(drawn);
  latest.current = drawn;

  const handler = useMemo<RowHandler>(() => ({
    focus: (rowId) => (focused.value = rowId),
    toggle,
    open: (event, sessionId) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      if (!dragged.current) openSession(sessionId);
      dragged.current = false;
    },
    actions: (sessionId, button) => {
      const row = latest.current.rows.find((each) => each.id === sessionId);
      if (row?.kind === "session") latest.current.actions.open(row.item, button);
    },
    press: (event, sessionId) => {
      dragged.current = false;
      const row = latest.current.rows.find((each) => each.id === sessionId);
      if (row?.group.kind === "workspace" && row.group.sessions.length > 1) drag.start(event, sessionId);
    },
  }), []);

  if (rows.length === 0) return <p class="sidebar-note">{t("empty")}</p>;

  /** Puts a session in front of the one at a position of its group, or at the end. */
  async function moveTo(row: TreeRow, to: number): Promise<void> {
    if (row.kind !== "session" || row.group.kind !== "workspace") return;
    const from = row.place - 1;
    if (to < 0 || to > row.group.sessions.length || to === from || to === from + 1) return;
    told.value = "";
    const before = row.group.sessions[to]?.sessionId;
    const moved = await latest.current.actions.attempt("notMoved", () => client.sessions.move(row.id, before));
    if (moved) told.value = t("moved", { place: to > from ? to : to + 1, n: row.group.sessions.length });
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const active = document.activeElement;
    const onButton = active instanceof HTMLButtonElement;
    const at = indexOf((onButton ? active.closest(".tree-row")?.querySelector<HTMLElement>("[data-row]") : (active as HTMLElement))?.dataset.row);
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || (onButton && /^(Enter| )$/.test(event.key))) return;
    const handled = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      const anchor = element(row.id);
      if (row.kind === "session" && anchor) actions.open(row.item, anchor);
      handled();
    } else if (event.altKey) {
      const to = row.place - 1 + ({ ArrowUp: -1, ArrowDown: 2 }[event.key] ?? Number.NaN);
      if (Number.isNaN(to)) return;
      handled();
      void moveTo(row, to);
    } else if (event.key.length === 1 && event.key !== "?" && (event.key !== " " || letters.typing(event.timeStamp))) {
      const names = rows.map((each) => (each.kind === "session" ? titleOf(each.item) : each.group.title));
      const index = letters.find(event.key, event.timeStamp, names, at);
      if (index !== undefined) go(index);
      handled();
    } else {
      letters.end();
      const next = step(event.key, rows, at);
      if (next === undefined && event.key !== " ") return; // Enter opens, as on any link
      handled();
      if (next === undefined) openSession(row.id);
      else if ("go" in next) go(next.go);
      else toggle(next.toggle);
    }
  };

  const moving = drag.current.value;
  const source = moving && rows[indexOf(moving.itemId)];
  const siblings = () => (source?.group.sessions ?? []).flatMap((item) => element(item.sessionId) ?? []);
  const dragOf = (row: TreeRow & { kind: "session" }) => {
    if (moving?.to === undefined || row.group !== source?.group) return undefined;
    if (row.id === moving.itemId) return "source" as const;
    if (row.place - 1 === moving.to) return "before" as const;
    return row.place === row.group.sessions.length && moving.to === row.place ? ("after" as const) : undefined;
  };
  const drop = () => {
    const to = drag.end();
    if (!source || to === undefined) return;
    dragged.current = true;
    void moveTo(source, to);
  };

  const stop = [focused.value, openId].find((id) => indexOf(id) >= 0) ?? rows[0]?.id;
  const shared = { locale: locale.value, handler };
  const stateOf = (id: string, running: boolean) =>
    client.waiting.value.has(id) ? ("waiting" as const) : running || (id === openId && client.running.value) ? ("running" as const) : unread.values.value.has(id) ? ("unread" as const) : undefined;
  return (
    <>
      <div
        class="tree"
        role="tree"
        aria-label={t("sessions")}
        ref={tree}
        data-grouped={groupBy.value.value === "workspace"}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => drag.move(event, siblings())}
        onPointerUp={drop}
        onPointerCancel={() => drag.end()}
      >
        {rows.map((row) => row.kind === "group"
          ? <GroupRow key={row.id} {...shared} group={row.group} expanded={row.expanded} place={row.place} of={row.of} tabStop={row.id === stop} />
          : (
            <SessionRow
              key={row.id}
              {...shared}
              item={row.item}
              level={row.level}
              place={row.place}
              of={row.of}
              tabStop={row.id === stop}
              selected={row.id === openId}
              state={stateOf(row.id, row.item.running)}
              time={relativeTime(row.item.updatedAt, now.value)}
              menuOpen={row.id === actions.menuOf}
              drag={dragOf(row)}
            />
          ))}
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
  readonly rows: readonly TreeRow[];
  readonly actions: ReturnType<typeof useSessionActions>;
  readonly moveTo: (row: TreeRow, to: number) => Promise<void>;
}
