import { Component } from "preact";
import { Icon, IconButton, sessionPath, type Locale, type SessionSummary } from "keylane";
import { groupRowId, type Group } from "./groups";
import { t } from "./messages";

/** What the tree does with a row. The same object for the life of the tree, so that a row is drawn again only when what it shows changes. */
export interface RowHandler {
  focus(rowId: string): void;
  open(event: MouseEvent, sessionId: string): void;
  /** A click on a group's row. */
  toggle(group: Group): void;
  /** Opens the menu of a row. */
  actions(rowId: string, button: HTMLElement): void;
  /** Begins a session in a workspace. */
  begin(workspaceId: string): void;
  press(event: PointerEvent, rowId: string): void;
}

/** What a drag has to do with a row: it is being dragged, or would be followed by what is, or would follow it. */
export type DragMark = "source" | "before" | "after" | undefined;

interface Place {
  readonly place: number;
  readonly of: number;
  readonly tabStop: boolean;
  readonly menuOpen: boolean;
  readonly drag: DragMark;
  readonly locale: Locale;
  readonly handler: RowHandler;
}

interface SessionRowProps extends Place {
  readonly item: SessionSummary;
  readonly level: 1 | 2;
  readonly selected: boolean;
  readonly state: "waiting" | "running" | "unread" | undefined;
  readonly time: string;
}

export function titleOf(item: SessionSummary): string {
  return item.title || (item.problem ? t("unreadable") : t("untitled"));
}

/** The row has the focus, not the link in it, which is for the mouse: it can be opened in a tab of its own. */
function focusRow(event: MouseEvent): void {
  event.preventDefault();
  (event.currentTarget as Element).closest<HTMLElement>("[role=treeitem]")?.focus({ preventScroll: true });
}

/** A click on a row's button is none on the row. */
function keep(event: MouseEvent): void {
  event.stopPropagation();
}

abstract class Row<P extends object> extends Component<P> {
  override shouldComponentUpdate(next: Readonly<P>): boolean {
    return (Object.keys(next) as (keyof P)[]).some((key) => next[key] !== this.props[key]);
  }
}

/** A session: its mark in the gutter, its title, when it was last used; and the button of its menu. */
export class SessionRow extends Row<SessionRowProps> {
  override render() {
    const { item, level, selected, state, time, menuOpen, drag, place, of, tabStop, handler } = this.props;
    const title = titleOf(item);
    const marks = [...(item.problem ? [t("damaged")] : []), ...(item.lockedBy ? [t("locked")] : []), ...(state ? [t(state)] : [])];
    return (
      <div
        class="tree-row"
        role="treeitem"
        aria-label={[t("item", { title, time }), ...marks].join(", ")}
        aria-level={level}
        aria-posinset={place}
        aria-setsize={of}
        aria-selected={selected}
        tabIndex={tabStop ? 0 : -1}
        data-row={item.sessionId}
        data-session-id={item.sessionId}
        data-unread={state === "unread"}
        data-drag={drag}
        onFocus={() => handler.focus(item.sessionId)}
        onClick={(event) => handler.open(event, item.sessionId)}
      >
        <a
          class="tree-item"
          href={sessionPath(item.sessionId)}
          aria-hidden="true"
          tabIndex={-1}
          draggable={false}
          onMouseDown={focusRow}
          onPointerDown={(event) => handler.press(event, item.sessionId)}
        >
          <span class="tree-gutter" title={item.problem ?? marks.join(", ")}>
            {state ? <span class="tree-mark" data-state={state} /> : item.problem ? <Icon name="triangle-alert" /> : item.lockedBy ? <Icon name="lock" /> : null}
          </span>
          <span class="tree-title" title={title}>{title}</span>
          {" "}
          <span class="tree-time">{time}</span>
        </a>
        <span class="tree-actions" onClick={keep}>
          <IconButton
            icon="ellipsis"
            label={t("actions", { title })}
            tabIndex={-1}
            aria-haspopup="menu"
            aria-expanded={menuOpen}
            onClick={(event) => handler.actions(item.sessionId, event.currentTarget)}
          />
        </span>
      </div>
    );
  }
}

interface GroupRowProps extends Place {
  readonly group: Group;
  readonly expanded: boolean | undefined;
}

/** What a group is called. */
export function nameOf(group: Group): string {
  return group.kind === "archived" ? t("archived") : group.kind === "ungrouped" ? t("ungrouped") : group.title;
}

/** A group: what it is called and how many sessions it has. It folds. A workspace can have a session begun in it, and has a menu. */
export class GroupRow extends Row<GroupRowProps> {
  override render() {
    const { group, expanded, place, of, tabStop, menuOpen, drag, handler } = this.props;
    const title = nameOf(group);
    const count = group.sessions.length;
    const id = groupRowId(group.id);
    const { workspace } = group;
    return (
      <div
        class="tree-row tree-head"
        role="treeitem"
        aria-label={t("group", { title, n: count })}
        aria-level={1}
        aria-posinset={place}
        aria-setsize={of}
        aria-expanded={expanded}
        tabIndex={tabStop ? 0 : -1}
        data-row={id}
        data-workspace-id={workspace?.workspaceId}
        data-drag={drag}
        onFocus={() => handler.focus(id)}
        onClick={() => handler.toggle(group)}
      >
        <span class="tree-item tree-group" onMouseDown={focusRow} onPointerDown={(event) => handler.press(event, id)}>
          <span class="tree-gutter tree-chevron" data-open={expanded === true}>{expanded !== undefined && <Icon name="chevron-right" />}</span>
          <span class="tree-title" title={workspace?.path ?? title}>{title}</span>
          {" "}
          <span class="tree-time">{count}</span>
        </span>
        {workspace && (
          <span class="tree-actions" onClick={keep}>
            <IconButton icon="plus" label={t("newSessionIn", { title })} tabIndex={-1} onClick={() => handler.begin(workspace.workspaceId)} />
            <IconButton
              icon="ellipsis"
              label={t("groupActions", { title })}
              tabIndex={-1}
              aria-haspopup="menu"
              aria-expanded={menuOpen}
              onClick={(event) => handler.actions(id, event.currentTarget)}
            />
          </span>
        )}
      </div>
    );
  }
}
