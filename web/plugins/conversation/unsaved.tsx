import { Icon, type OpenSession, type StorageTrouble } from "keylane";
import { t } from "./messages";

/** Below the messages, wherever they are scrolled to: the host cannot store the session for now. What is lost if it ends, why, and what to do. */
export function Unsaved({ session, trouble }: { session: OpenSession; trouble: StorageTrouble }) {
  const n = Math.max(0, session.transcript.value.seq - trouble.fromSeq + 1);
  return (
    <section class="unsaved" aria-label={t("unsavedTitle")} data-unsaved-from={trouble.fromSeq}>
      <span class="turn-icon"><Icon name="triangle-alert" /></span>
      <div>
        <p class="unsaved-title" role="alert">{t("unsavedTitle")}</p>
        <p>{t("unsavedLost", { n })} {t("unsavedHelp")}</p>
        <p class="unsaved-cause">{trouble.message} <code>{trouble.code}</code></p>
      </div>
    </section>
  );
}
