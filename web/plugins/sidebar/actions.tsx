import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Menu, openSession, RpcError, useClient, type MenuItem, type SessionSummary, type Workspace } from "keylane";
import { RemoveDialog, RemoveWorkspaceDialog, RenameDialog, RenameWorkspaceDialog } from "./dialogs";
import type { TreeRow } from "./groups";
import { t } from "./messages";
import { titleOf } from "./row";

interface Shown {
  readonly what: "menu" | "rename" | "remove";
  readonly row: TreeRow;
  readonly anchor: HTMLElement;
}

export interface Failure {
  readonly what: "notForked" | "notArchived" | "notMoved" | "notPlaced" | "notUnarranged";
  readonly error: RpcError;
}

interface RowActions {
  /** Id of the row whose menu is open. */
  readonly menuOf: string | undefined;
  /** Id of the row that a menu or dialog came from. */
  readonly openFor: string | undefined;
  /** Opens the menu of a row; the focus comes back to the anchor. Nothing for a row that has none. */
  open(row: TreeRow, anchor: HTMLElement): void;
  /** Runs what may fail, and tells how it failed. Resolves to whether it did not. */
  attempt(what: Failure["what"], act: () => Promise<void>): Promise<boolean>;
  readonly failure: Failure | undefined;
  dismiss(): void;
  /** The menu or dialog that is open. */
  readonly layer: ComponentChild;
}

/**
 * What can be done to a session or a workspace from its row. `begin` begins a session in a workspace; `rescue` takes the focus when the row
 * that it came from is gone.
 */
export function useRowActions(begin: (workspaceId: string) => void, rescue: () => void): RowActions {
  const client = useClient();
  const shown = useSignal<Shown | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const current = shown.value;

  /** Where the focus goes when nothing is open any more: while a dialog is, nothing else can have it. */
  const back = useRef<HTMLElement | undefined>(undefined);
  useLayoutEffect(() => {
    const anchor = back.current;
    if (current || !anchor) return;
    back.current = undefined;
    if (anchor.isConnected) anchor.focus({ preventScroll: true });
    else rescue();
  });
  const close = () => {
    back.current = current?.anchor;
    shown.value = undefined;
  };
  const attempt = async (what: Failure["what"], act: () => Promise<void>): Promise<boolean> => {
    failure.value = undefined;
    try {
      await act();
      return true;
    } catch (error) {
      failure.value = { what, error: error instanceof RpcError ? error : new RpcError("internal", String(error)) };
      return false;
    }
  };
  const ask = (what: Shown["what"], { row, anchor }: Shown) => () => (shown.value = { what, row, anchor });
  const ofSession = (item: SessionSummary, from: Shown): readonly MenuItem[] => {
    const { sessionId } = item;
    const away = client.lists.archived.value.has(sessionId);
    return [
      { label: t("rename"), icon: "pencil", act: ask("rename", from) },
      { label: t("fork"), icon: "git-fork", act: () => void attempt("notForked", async () => openSession(await client.sessions.fork(sessionId))) },
      { label: t(away ? "unarchive" : "archive"), icon: away ? "archive-arrow-up" : "archive", act: () => void attempt("notArchived", () => client.sessions.archive(sessionId, !away)) },
      { label: t("remove"), icon: "trash", danger: true, act: ask("remove", from) },
    ];
  };
  const ofWorkspace = ({ workspaceId, order }: Workspace, from: Shown): readonly MenuItem[] => [
    { label: t("newSession"), icon: "plus", act: () => begin(workspaceId) },
    { label: t("rename"), icon: "pencil", act: ask("rename", from) },
    ...(order.length > 0 ? [{ label: t("unarrange"), icon: "arrow-down-narrow-wide", act: () => void attempt("notUnarranged", () => client.workspaces.unarrange(workspaceId)) } as const] : []),
    { label: t("removeFolder"), icon: "trash", danger: true, act: ask("remove", from) },
  ];

  return {
    menuOf: current?.what === "menu" ? current.row.id : undefined,
    openFor: current?.row.id,
    open: (row, anchor) => {
      if (row.kind === "session" || row.group.workspace) shown.value = { what: "menu", row, anchor };
    },
    attempt,
    failure: failure.value,
    dismiss: () => (failure.value = undefined),
    layer: current && layerOf(current),
  };

  function layerOf(from: Shown): ComponentChild {
    const { what, row, anchor } = from;
    if (row.kind === "session") {
      if (what === "menu") return <Menu label={t("actions", { title: titleOf(row.item) })} anchor={anchor} items={ofSession(row.item, from)} close={close} />;
      return what === "rename" ? <RenameDialog item={row.item} close={close} /> : <RemoveDialog item={row.item} close={close} />;
    }
    const { workspace, title, sessions } = row.group;
    if (!workspace) return null;
    if (what === "menu") return <Menu label={t("groupActions", { title })} anchor={anchor} items={ofWorkspace(workspace, from)} close={close} />;
    return what === "rename" ? <RenameWorkspaceDialog workspace={workspace} close={close} /> : <RemoveWorkspaceDialog workspace={workspace} title={title} count={sessions.length} close={close} />;
  }
}
