import { IconButton, settings } from "keylane";
import { t } from "./messages";

/** Why a setting that was just chosen does not hold. */
export function Failure() {
  const failure = settings.failure.value;
  if (!failure) return null;
  const known = failure.code === "settings-conflict" || failure.code === "settings-rejected" || failure.code === "unreachable" || failure.code === "timeout";
  return (
    <div class="settings-notice settings-failure" role="alert">
      <p>
        {t("failed")} {known ? t(failure.code as "settings-conflict") : failure.message} <code>{failure.code}</code>
      </p>
      <IconButton icon="x" label={t("dismiss")} onClick={() => (settings.failure.value = undefined)} />
    </div>
  );
}

/** What of the file does not count, and where it is mended. */
export function FileNotice() {
  if (!settings.local) return <p class="settings-notice">{t("elsewhere")}</p>;
  const description = settings.description.value;
  if (!description?.problem) return null;
  const { line, cause } = description.problem;
  return (
    <div class="settings-notice" role="alert">
      <p>{line > 0 ? t("problemLine", { line }) : t("problem")}</p>
      <p><code>{description.file}{line > 0 ? `:${line}` : ""}</code></p>
      <p><code>{cause}</code></p>
    </div>
  );
}
