import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Menu, openSession, RpcError, useClient, type MenuItem, type SessionSummary } from "keylane";
import { RemoveDialog, RenameDialog } from "./dialogs";
import { t } from "./messages";
import { titleOf } from "./row";

interface Shown {
  readonly what: "menu" | "rename" | "remove";
  readonly item: SessionSummary;
  readonly anchor: HTMLElement;
}

export interface Failure {
  readonly what: "notForked" | "notArchived" | "notMoved";
  readonly error: RpcError;
}

interface SessionActions {
  /** Whose menu is open. */
  readonly menuOf: string | undefined;
  /** Opens the menu of a session; the focus comes back to the anchor. */
  open(item: SessionSummary, anchor: HTMLElement): void;
  /** Runs what may fail, and tells how it failed. Resolves to whether it did not. */
  attempt(what: Failure["what"], act: () => Promise<void>): Promise<boolean>;
  readonly failure: Failure | undefined;
  dismiss(): void;
  /** The menu or dialog that is open. */
  readonly layer: ComponentChild;
}

/** What can be done to a session from its row. `rescue` takes the focus when the row that it came from is gone. */
export function useSessionActions(rescue: () => void): SessionActions {
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
  const itemsFor = ({ item, anchor }: Shown): readonly MenuItem[] => {
    const { sessionId } = item;
    const away = client.lists.archived.value.has(sessionId);
    return [
      { label: t("rename"), icon: "pencil", act: () => (shown.value = { what: "rename", item, anchor }) },
      { label: t("fork"), icon: "git-fork", act: () => void attempt("notForked", async () => openSession(await client.sessions.fork(sessionId))) },
      { label: t(away ? "unarchive" : "archive"), icon: away ? "archive-arrow-up" : "archive", act: () => void attempt("notArchived", () => client.sessions.archive(sessionId, !away)) },
      { label: t("remove"), icon: "trash", danger: true, act: () => (shown.value = { what: "remove", item, anchor }) },
    ];
  };

  let layer: ComponentChild = null;
  if (current?.what === "menu") layer = <Menu label={t("actions", { title: titleOf(current.item) })} anchor={current.anchor} items={itemsFor(current)} close={close} />;
  if (current?.what === "rename") layer = <RenameDialog item={current.item} close={close} />;
  if (current?.what === "remove") layer = <RemoveDialog item={current.item} close={close} />;
  return {
    menuOf: current?.what === "menu" ? current.item.sessionId : undefined,
    open: (item, anchor) => (shown.value = { what: "menu", item, anchor }),
    attempt,
    failure: failure.value,
    dismiss: () => (failure.value = undefined),
    layer,
  };
}
