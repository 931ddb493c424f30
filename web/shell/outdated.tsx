import { Button } from "keylane";
import type { Boot } from "./boot";
import { t } from "./messages";

/** Says that the host is another keylane than the one this page is from, which happens to a tab that stays open while keylane is updated. */
export function Outdated({ boot }: { boot: Boot }) {
  if (!boot.outdated.value) return null;
  return (
    <div class="failure" role="status" data-outdated>
      <p class="failure-title">{t("outdated")}</p>
      <p>{t("outdatedHelp")}</p>
      <div class="failure-actions">
        <Button icon="refresh-cw" onClick={() => location.reload()}>{t("reload")}</Button>
        <Button look="quiet" onClick={() => (boot.outdated.value = false)}>{t("later")}</Button>
      </div>
    </div>
  );
}
