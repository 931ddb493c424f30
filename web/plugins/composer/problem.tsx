import { IconButton, RpcError } from "keylane";
import { t } from "./messages";

/** Something that was asked for and did not happen. */
export interface Problem {
  readonly what: "notSent" | "notStopped" | "notSelected" | "notSet" | "notRenamed" | "notCompacted";
  /** The session it was asked for in, "" for the start page; of a text that was not sent, where it is kept. */
  readonly place: string;
  readonly error: RpcError;
}

/** `here` is whether the person is where the problem is. */
export function ProblemLine({ problem, here, dismiss }: { problem: Problem; here: boolean; dismiss: () => void }) {
  const { code, message } = problem.error;
  const gone = code === "session-not-found"; // whatever it was, trying again is no help
  return (
    <div class="composer-problem" role="alert">
      <p>
        <strong>{t(problem.what)}</strong> {code === "unreachable" || code === "timeout" ? t("unreachable") : code === "workspace-invalid-path" ? t("folderGone") : gone ? t("sessionGone") : message}{" "}
        {problem.what === "notSent" && !(gone && here) && t(here ? "kept" : "keptThere")} <code>{code}</code>
      </p>
      <IconButton icon="x" label={t("dismiss")} onClick={dismiss} />
    </div>
  );
}
