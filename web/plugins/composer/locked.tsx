import { useSignal } from "@preact/signals";
import { Button, Icon, locale, type Holder, type OpenSession } from "keylane";
import { t } from "./messages";

/** In the composer's place when another host has the session open: who has it, and the way to go on here. */
export function Locked({ session, holder }: { session: OpenSession; holder: Holder }) {
  const asking = useSignal(false);
  const again = async () => {
    asking.value = true;
    await session.refresh();
    asking.value = false;
  };
  const since = new Intl.DateTimeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" }).format(holder.since);
  return (
    <div class="composer-locked" role="status" data-locked-by={holder.pid}>
      <Icon name="lock" />
      <p>
        <strong>{t("locked")}</strong> {holder.pid === 0 ? t("lockedHelp") : t("lockedBy", { pid: String(holder.pid), since })}
      </p>
      <Button icon="refresh-cw" disabled={asking.value} onClick={() => void again()}>{t("tryAgain")}</Button>
    </div>
  );
}
