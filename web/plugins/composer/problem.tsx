import { IconButton, RpcError } from "keylane";
import { t } from "./messages";

/** Something that was asked for and did not happen. */
export interface Problem {
  readonly what: "notSent" | "notStopped" | "notSelected" | "notSet" | "notRenamed" | "notCompacted";
  readonly error: RpcError;
}

export function ProblemLine({ problem, dismiss }: { problem: Problem; dismiss: () => void }) {
  const { code, message } = problem.error;
  return (
    <div class="composer-problem" role="alert">
      <p>
        <strong>{t(problem.what)}</strong> {code === "unreachable" || code === "timeout" ? t("unreachable") : code === "workspace-invalid-path" ? t("folderGone") : message}{" "}
        {problem.what === "notSent" && t("kept")} <code>{code}</code>
      </p>
      <IconButton icon="x" label={t("dismiss")} onClick={dismiss} />
    </div>
  );
}
