import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button, Dialog, isComposing, RpcError, titleTaken, useClient, type SessionSummary, type Workspace, openDirectoryDialog } from "keylane";
import { t } from "./messages";
import { titleOf } from "./row";

interface DialogProps {
  readonly item: SessionSummary;
  readonly close: () => void;
}

/** Runs what a dialog is for, once at a time, and closes it unless that fails. */
function useDeed(act: () => Promise<unknown>, close: () => void) {
  const error = useSignal<RpcError | undefined>(undefined);
  const busy = useSignal(false);
  const run = async () => {
    if (busy.value) return;
    busy.value = true;
    error.value = undefined;
    try {
      await act();
      close();
    } catch (cause) {
      error.value = cause instanceof RpcError ? cause : new RpcError("internal", String(cause));
    } finally {
      busy.value = false;
    }
  };
  return { run, busy: busy.value, error: error.value, forgive: () => (error.value = undefined) };
}

interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly name: string;
  readonly doIt: string;
  readonly act: (name: string) => Promise<unknown>;
  /** Why a name cannot be, before anybody is asked. */
  readonly refuse?: (name: string) => string | undefined;
  /** What a refusal of the host means here; undefined shows its own words. */
  readonly explain: (code: string) => string | undefined;
  readonly close: () => void;
  readonly children?: ComponentChildren;
}

/** Asks for a name. */
function NameDialog({ title, label, name: first, doIt, act, refuse, explain, close, children }: NameDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const name = useSignal(first);
  const problem = useId();
  const { run, busy, error, forgive } = useDeed(() => act(name.value), close);
  useLayoutEffect(() => field.current?.select(), []);
  const refused = refuse?.(name.value);
  const told = refused ?? (error && (explain(error.code) ?? <>{error.message} <code>{error.code}</code></>));
  return (
    <Dialog title={title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (refused === undefined) void run();
        }}
      >
        <input
          ref={field}
          class="sidebar-field"
          aria-label={label}
          aria-invalid={told !== undefined}
          aria-describedby={told === undefined ? undefined : problem}
          autoFocus
          autocomplete="off"
          spellcheck={false}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
            forgive();
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && isComposing(event)) event.preventDefault(); // it ends the composition, not the dialog
          }}
        />
        {children}
        {told !== undefined && <p id={problem} class="dialog-failure" role="alert">{told}</p>}
        <div class="dialog-actions">
          <Button onClick={close}>{t("cancel")}</Button>
          <Button look="primary" type="submit" disabled={busy || refused !== undefined}>{doIt}</Button>
        </div>
      </form>
    </Dialog>
  );
}

export function RenameDialog({ item, close }: DialogProps) {
  const client = useClient();
  return (
    <NameDialog
      title={t("renameTitle")}
      label={t("name")}
      name={item.title}
      doIt={t("doRename")}
      act={(name) => client.sessions.rename(item.sessionId, name)}
      explain={(code) => (code === "title-invalid" ? t("nameInvalid") : undefined)}
      close={close}
    />
  );
}

interface WorkspaceDialogProps {
  readonly workspace: Workspace;
  readonly close: () => void;
}

export function RenameWorkspaceDialog({ workspace, close }: WorkspaceDialogProps) {
  const client = useClient();
  const taken = (name: string) => titleTaken(name, client.lists.workspaces.value, workspace.workspaceId) && name !== workspace.title;
  return (
    <NameDialog
      title={t("folderTitle")}
      label={t("folderName")}
      name={workspace.title}
      doIt={t("doRename")}
      act={(name) => client.workspaces.rename(workspace.workspaceId, name)}
      refuse={(name) => (taken(name) ? t("folderTaken") : undefined)}
      explain={(code) => ({ "title-invalid": t("nameInvalid"), "workspace-name-conflict": t("folderTaken") })[code]}
      close={close}
    />
  );
}

interface AddWorkspaceDialogProps {
  readonly added: (workspace: Workspace) => void;
  readonly close: () => void;
}

/** Makes a workspace with a new folder of its name. */
export function AddWorkspaceDialog({ added, close }: AddWorkspaceDialogProps) {
  const client = useClient();
  const home = client.description.value?.home;
  return (
    <NameDialog
      title={t("addFolder")}
      label={t("folderName")}
      name=""
      doIt={t("doAdd")}
      act={async (name) => added(await client.workspaces.create(name))}
      refuse={(name) => (titleTaken(name, client.lists.workspaces.value) ? t("folderTaken") : undefined)}
      explain={(code) => ({ "workspace-invalid-path": t("folderInvalid"), "workspace-name-conflict": t("folderThere") })[code]}
      close={close}
    >
      {home && <p class="dialog-text sidebar-hint">{t("folderNew", { place: `${home}/workspaces` })}</p>}
      <Button
        icon="folder-search"
        aria-haspopup="dialog"
        onClick={() => {
          close();
          openDirectoryDialog({ take: async (path) => added((await client.rpc.call("workspace.create", { path })).workspace) });
        }}
      >
        {t("folderOpen")}
      </Button>
    </NameDialog>
  );
}

interface RemoveWorkspaceDialogProps extends WorkspaceDialogProps {
  /** What it is called in the list. */
  readonly title: string;
  /** How many sessions it shows. */
  readonly count: number;
}

export function RemoveWorkspaceDialog({ workspace, title, count, close }: RemoveWorkspaceDialogProps) {
  const client = useClient();
  return (
    <RemoveQuestion title={t("removeFolderTitle")} act={() => client.workspaces.remove(workspace.workspaceId)} close={close}>
      <p>{t("removeFolderWhat", { title })}</p>
      {count > 0 && <p>{t("removeFolderThen", { n: count })}</p>}
      <p><code>{workspace.path}</code></p>
    </RemoveQuestion>
  );
}

export function RemoveDialog({ item, close }: DialogProps) {
  const client = useClient();
  return (
    <RemoveQuestion title={t("removeTitle")} act={() => client.sessions.remove(item.sessionId)} close={close}>
      <p>{t("removeWhat", { title: titleOf(item) })}</p>
      {item.running && <p>{t("removeRunning")}</p>}
    </RemoveQuestion>
  );
}

interface RemoveQuestionProps {
  readonly title: string;
  readonly act: () => Promise<void>;
  readonly close: () => void;
  /** What is lost, and what is kept. */
  readonly children: ComponentChildren;
}

/** Asks before something is removed. Enter alone removes nothing. */
function RemoveQuestion({ title, act, close, children }: RemoveQuestionProps) {
  const { run, busy, error } = useDeed(act, close);
  return (
    <Dialog title={title} role="alertdialog" close={close}>
      <div class="dialog-text">{children}</div>
      {error && <p class="dialog-failure" role="alert">{error.message} <code>{error.code}</code></p>}
      <div class="dialog-actions">
        <Button autoFocus onClick={close}>{t("cancel")}</Button>
        <Button look="danger" disabled={busy} onClick={() => void run()}>{t("doRemove")}</Button>
      </div>
    </Dialog>
  );
}
