import type { Problem } from "./browser";
import { t } from "./messages";

/** What did not happen, and why, in the person's language where we know the reason. */
export function ProblemText({ problem: { what, name, error } }: { problem: Problem }) {
  const { code, message } = error;
  const elsewhere = code === "http-403" ? t("onlyHere") : code === "unreachable" || code === "timeout" ? t("unreachable") : undefined;
  const known = elsewhere ?? (code === "directory-exists" ? t("exists") : code === "bad-request" ? t("badName") : undefined);
  const said = message.slice(message.lastIndexOf(": ") + 1).trim(); // the cause, which stands last
  return (
    <>
      <strong>{t(what, { name: name || t("home") })}</strong> {known ?? said} <code>{code}</code>
    </>
  );
}
