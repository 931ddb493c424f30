// What runs, and what does not: a section of the settings with versions, places and the boot report, which is fetched when it is looked
// at, and a quiet notice when a row of the host failed.

import "./about.css";
import { signal } from "@preact/signals";
import { Button, Icon, IconButton, late, openSettings, settingsShown, type PluginScope } from "keylane";
import { t } from "./messages";
import { useReport } from "./report";

/** The failures that the person has read, as their ids. */
const dismissed = signal("");

export function activate(scope: PluginScope): void {
  scope.fill("dock", HostNotice, -20);
  scope.settings({ id: "about", label: () => t("about"), order: 90, component: late("about", async () => (await import("./about")).About) });
}

function HostNotice() {
  const failed = (useReport()?.rows ?? []).filter((row) => row.state === "failed").map((row) => row.id);
  const ids = failed.join(", ");
  if (failed.length === 0 || dismissed.value === ids || settingsShown.value !== undefined) return null;
  return (
    <div class="about-notice" role="status">
      <Icon name="triangle-alert" />
      <p>{t("hostFailed", { ids })}</p>
      <Button look="quiet" onClick={() => openSettings("about")}>{t("details")}</Button>
      <IconButton icon="x" label={t("dismiss")} onClick={() => (dismissed.value = ids)} />
    </div>
  );
}
