import { Button, CopyButton, Icon, type Damage, type OpenSession } from "keylane";
import { t } from "./messages";

/** Where a damaged log ends: what is lost, where, and the command that puts it right. */
export function Damaged({ session, damage }: { session: OpenSession; damage: Damage }) {
  return (
    <section class="damaged" aria-label={t("damagedTitle")} data-damaged-row={damage.row}>
      <span class="turn-icon"><Icon name="triangle-alert" /></span>
      <div>
        <p class="damaged-title">{t("damagedTitle")}</p>
        <p>{t("damagedRows", { row: damage.row, n: damage.lostBytes })}</p>
        <p class="damaged-file"><code>{damage.file.split("/").slice(-2).join("/")}:{damage.row}</code></p>
        <p>{t("damagedRepair")}</p>
        <div class="damaged-command">
          <code>{damage.repair}</code>
          <CopyButton text={() => damage.repair} label={t("copyCommand")} copied={t("copied")} failed={t("copyFailed")} />
        </div>
        <p class="damaged-foot">
          <Button icon="refresh-cw" onClick={() => void session.refresh()}>{t("retry")}</Button>
          <code>{damage.code}</code>
        </p>
      </div>
    </section>
  );
}
