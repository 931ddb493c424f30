import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon, Menu, openDirectoryDialog, useClient, type MenuItem } from "keylane";
import { t } from "./messages";

/** Where the next new session will work, and the way to another place. */
export function WorkspaceChoice() {
  const client = useClient();
  const button = useRef<HTMLButtonElement>(null);
  const open = useSignal(false);
  const current = client.workspace.value;
  const loaded = client.lists.loaded.value;

  const take = async (path: string) => {
    const { workspace } = await client.rpc.call("workspace.create", { path });
    client.chosenWorkspace.value = workspace.workspaceId;
  };
  const items: readonly MenuItem[] = [
    ...client.lists.workspaces.value.map((item) => ({
      label: item.title,
      note: item.path,
      checked: item.workspaceId === current?.workspaceId,
      act: () => (client.chosenWorkspace.value = item.path === client.description.value?.cwd ? undefined : item.workspaceId),
    })),
    { label: t("openFolder"), icon: "folder-search", apart: true, act: () => openDirectoryDialog({ from: current?.path, take }) },
  ];

  return (
    <div class="start-place">
      <button
        ref={button}
        type="button"
        class="start-workspace"
        aria-label={current ? t("chooseNamed", { name: current.title }) : t("choose")}
        aria-haspopup="menu"
        aria-expanded={open.value}
        disabled={!loaded}
        onClick={() => (open.value = !open.value)}
      >
        <Icon name="folder" />
        <span>{current?.title ?? (loaded ? t("choose") : "\u00a0")}</span>
        <Icon name="chevron-down" />
      </button>
      {current && <span class="start-path">{current.path}</span>}
      {open.value && button.current && (
        <Menu
          label={t("choose")}
          anchor={button.current}
          align="start"
          items={items}
          close={() => {
            open.value = false;
            button.current?.focus();
          }}
        />
      )}
    </div>
  );
}
