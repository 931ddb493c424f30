import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { groupBy, IconButton, Menu } from "keylane";
import { t } from "./messages";

/** The line above the sessions: how they are grouped. */
export function ViewBar() {
  const button = useRef<HTMLButtonElement>(null);
  const open = useSignal(false);
  const by = groupBy.value.value;
  return (
    <div class="sidebar-view">
      <h2>{t("sessions")}</h2>
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
    </div>
  );
}
