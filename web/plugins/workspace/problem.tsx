import type { Problem } from "./browser";
import { t } from "./messages";

/** What the host's words for a reason mean, see host/directory; what has none is said as the operating system says it. */
const reasons: Readonly<Record<string, Parameters<typeof t>[0]>> = {
  exists: "exists",
  "not-found": "notFound",
  "not-a-folder": "notFolder",
  "not-absolute": "notAbsolute",
  permission: "permission",
  "read-only": "readOnly",
  "no-space": "noSpace",
  "too-long": "tooLong",
};

/** What did not happen, and why, in the person's language where we know the reason. */
export function ProblemText({ problem: { what, name, error } }: { problem: Problem }) {
  const { code, message } = error;
  const elsewhere = code === "http-403" ? t("onlyHere") : code === "unreachable" || code === "timeout" ? t("unreachable") : undefined;
  const reason = code === "bad-request" ? "badName" : reasons[String(error.details["reason"])];
  const known = elsewhere ?? (reason && t(reason));
  const said = message.slice(message.lastIndexOf(": ") + 1).trim(); // the cause, which stands last
  return (
    <>
      <strong>{t(what, { name: name || t("home") })}</strong> {known ?? said} <code>{code}</code>
    </>
  );
}
