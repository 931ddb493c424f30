import { Button, Icon, IconButton, isComposing } from "keylane";
import { t } from "./messages";
import { clearFocus } from "./timeline";
import type { Viewing } from "./viewing";

export function Toolbar({ viewing }: { viewing: Viewing }) {
  const actual = viewing.mode.value === "actual";
  const matches = viewing.matches.value;
  const asked = viewing.query.value.trim() !== "";
  const at = matches.indexOf(viewing.selected.value ?? -1) + 1;
  return (
    <div class="trajectory-toolbar" role="toolbar" aria-label={t("toolbar")}>
      <Button icon={actual ? "columns-3" : "clock"} onClick={() => viewing.setMode(actual ? "equal" : "actual")}>{actual ? t("useEqual") : t("useActual")}</Button>
      <Button icon={viewing.collapsed.value ? "unfold-vertical" : "fold-vertical"} onClick={() => (viewing.collapsed.value = !viewing.collapsed.value)}>
        {viewing.collapsed.value ? t("expand") : t("collapse")}
      </Button>
      {(viewing.focus.value || viewing.zoomed.value) && <Button icon="x" onClick={() => clearFocus(viewing)}>{t("clearFocus")}</Button>}
      <div class="trajectory-search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={t("search")}
          placeholder={t("search")}
          value={viewing.query.value}
          onInput={(event) => (viewing.query.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isComposing(event)) return;
            if (event.key === "Enter") viewing.match(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape" && asked) viewing.query.value = "";
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        <span class="trajectory-found" role="status">{asked ? (matches.length > 0 ? t("found", { at, n: matches.length }) : t("foundNone")) : ""}</span>
        <IconButton icon="arrow-up" label={t("previous")} disabled={matches.length === 0} onClick={() => viewing.match(-1)} />
        <IconButton icon="arrow-down" label={t("next")} disabled={matches.length === 0} onClick={() => viewing.match(1)} />
      </div>
    </div>
  );
}
