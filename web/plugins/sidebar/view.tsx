import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { groupBy, IconButton, Menu } from "keylane";
import { AddWorkspaceDialog } from "./dialogs";
import { t } from "./messages";

/** The workspace that was added last, until the list has shown it. */
export const added = signal<string | undefined>(undefined);

/** The line above the sessions: a new workspace, and how sessions are grouped. */
export function ViewBar() {
  const button = useRef<HTMLButtonElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const open = useSignal(false);
  const adding = useSignal(false);
  const wasAdding = useRef(false);
  useLayoutEffect(() => { // while the dialog is there, nothing else can have the focus
    if (wasAdding.current && !adding.value) adder.current?.focus();
    wasAdding.current = adding.value;
  });
  const by = groupBy.value.value;
  return (
    <div class="sidebar-view">
      <h2>{t("sessions")}</h2>
      <IconButton
        icon="folder-plus"
        label={t("addFolder")}
        title={t("addFolder")}
        buttonRef={adder}
        aria-haspopup="dialog"
        onClick={() => (adding.value = true)}
      />
      <IconButton
        icon="list-tree"
        label={t("groupBy")}
        title={t("groupBy")}
        buttonRef={button}
        aria-haspopup="menu"
        aria-expanded={open.value}
        onClick={() => (open.value = !open.value)}
      />
      {open.value && button.current && (
        <Menu
          label={t("groupBy")}
          anchor={button.current}
          items={[
            { label: t("byFolder"), checked: by === "workspace", act: () => groupBy.set("workspace") },
            { label: t("oneList"), checked: by === "none", act: () => groupBy.set("none") },
          ]}
          close={() => {
            open.value = false;
            button.current?.focus();
          }}
        />
      )}
      {adding.value && (
        <AddWorkspaceDialog
          added={(workspace) => (added.value = workspace.workspaceId)}
          close={() => (adding.value = false)}
        />
      )}
    </div>
  );
}
