import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { EdgeScroll, RowDrag } from "keylane";
import type { TreeRow } from "./groups";
import type { DragMark } from "./row";
import type { Sight } from "./sight";

export interface TreeDrag {
  /** The row that is dragged, or pressed and not yet let go. */
  readonly sourceId: string | undefined;
  start(event: PointerEvent, rowId: string): void;
  move(event: PointerEvent): void;
  /** Ends it. Undefined when nothing was dragged; else what was, and in front of which of its siblings it was let go. */
  drop(): { readonly row: TreeRow; readonly to: number } | undefined;
  /** Ends it where it began. True when there was one. */
  cancel(): boolean;
  markOf(row: TreeRow, index: number): DragMark;
}

/** The rows among which a row can be moved, by index: sessions of its workspace, or workspaces. None when it has a place that nobody can change. */
export function siblingsOf(row: TreeRow, rows: readonly TreeRow[]): readonly number[] {
  if (!row.group.workspace) return [];
  return rows.flatMap((other, index) => {
    const alike = row.kind === "group" ? other.kind === "group" && other.group.workspace !== undefined : other.kind === "session" && other.group === row.group;
    return alike ? [index] : [];
  });
}

/** Moves sessions among those of their workspace, and workspaces, with the mouse. Near an edge the list scrolls. */
export function useTreeDrag(list: RefObject<HTMLElement | null>, rows: readonly TreeRow[], sight: Sight): TreeDrag {
  const drag = useMemo(() => new RowDrag(), []);
  const scroll = useMemo(() => new EdgeScroll(), []);
  useEffect(() => () => scroll.stop(), [scroll]);
  const moving = drag.current.value;
  const at = moving ? rows.findIndex((row) => row.id === moving.itemId) : -1;
  const source = rows[at];
  const siblings = source ? siblingsOf(source, rows) : [];

  const place = (clientY: number): number => {
    const height = sight.inside(clientY);
    const below = siblings.findIndex((index) => height < sight.offsets.middle(index));
    return below < 0 ? siblings.length : below;
  };
  const end = () => {
    scroll.stop();
    return drag.end();
  };
  /** The row above which a line says where it would land; the number of rows for below the last one. */
  const line = (): number | undefined => {
    if (moving?.to === undefined || source === undefined) return undefined;
    const sibling = siblings[moving.to];
    if (sibling !== undefined) return sibling;
    const last = siblings.at(-1) ?? at;
    if (source.kind === "session") return last + 1;
    const after = rows.findIndex((row, index) => index > last && row.kind === "group");
    return after < 0 ? rows.length : after;
  };
  const landing = line();
  return {
    sourceId: moving?.itemId,
    start: (event, rowId) => drag.start(event, rowId),
    move: (event) => {
      drag.move(event, place);
      const box = list.current;
      if (drag.current.value?.to !== undefined && box) scroll.at(event.clientY, box, (clientY) => {
        sight.look();
        drag.over(place(clientY));
      });
    },
    drop: () => {
      const to = end();
      return source && to !== undefined ? { row: source, to } : undefined;
    },
    cancel: () => {
      const dragged = drag.current.value?.to !== undefined;
      end();
      return dragged;
    },
    markOf: (row, index) => {
      if (landing === undefined) return undefined;
      if (row.id === moving?.itemId) return "source";
      if (source?.kind === "session") return index === landing && row.group === source.group ? "before" : index === landing - 1 && landing === (siblings.at(-1) ?? 0) + 1 ? "after" : undefined;
      return index === landing ? "before" : landing === rows.length && index === rows.length - 1 ? "after" : undefined;
    },
  };
}

