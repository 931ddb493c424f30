// What a call would do, and the three decisions.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button, Card, DiffView, RpcError, changeOf, type Decision, type OpenSession, type PendingApproval } from "keylane";
import { t } from "./messages";

export function ApprovalCard({ session, asked }: { session: OpenSession; asked: PendingApproval }) {
  const root = useRef<HTMLElement>(null);
  const deciding = useSignal(false);
  const status = useSignal("");

  useLayoutEffect(() => {
    const card = root.current;
    return () => {
      // Whoever decided here goes on writing.
      if (card?.contains(document.activeElement)) document.querySelector<HTMLElement>(".dock textarea")?.focus({ preventScroll: true });
    };
  }, []);

  const decide = async (outcome: Decision) => {
    if (deciding.value) return;
    deciding.value = true;
    status.value = "";
    try {
      await session.decide(asked, outcome);
    } catch (error) {
      const code = error instanceof RpcError ? error.code : "internal";
      status.value = code === "unreachable" || code === "timeout" ? t("decisionUnreachable") : code === "not-pending" ? t("decisionNotPending") : t("decisionRefused", { code });
    } finally {
      deciding.value = false;
    }
  };

  const { heading, covers } = wordsOf(asked);
  return (
    <section ref={root} class="approval" aria-label={t("approval")} data-approval-id={asked.approvalId}>
      <h2>{heading}</h2>
      <div class="approval-scroll"><Preview asked={asked} /></div>
      <div class="approval-foot">
        <p class="approval-status" role="status">{status.value}</p>
        {covers && <p class="approval-covers">{covers}</p>}
        <Button onClick={() => void decide("rejected")}>{t("reject")}</Button>
        <Button onClick={() => void decide("allowed-session")}>{t("allowSession")}</Button>
        <Button look="primary" onClick={() => void decide("allowed-once")}>{t("allowOnce")}</Button>
      </div>
    </section>
  );
}

function Preview({ asked: { view } }: { asked: PendingApproval }) {
  const change = changeOf(view);
  if (change) return <DiffView change={change} />;
  if (view?.["card"] !== "terminal") return view ? <Card label={t("arguments")} text={JSON.stringify(view, null, 2)} /> : null;
  const description = String(view["description"] ?? "");
  return (
    <>
      {description && <p class="approval-about">{description}</p>}
      <div class="card" role="group" aria-label={t("command")}>
        <pre class="approval-command"><span aria-hidden="true" class="card-prompt">$ </span><code>{String(view["command"] ?? "")}</code></pre>
      </div>
    </>
  );
}

function wordsOf({ toolName, view }: PendingApproval): { heading: string; covers: string } {
  const change = changeOf(view);
  if (change) {
    const heading = change.action === "created" ? t("approveCreate") : change.action === "overwritten" ? t("approveOverwrite") : t("approveEdit");
    return { heading, covers: t("coversFiles") };
  }
  if (view?.["card"] === "terminal") return { heading: t("approveCommand"), covers: t("coversCommand") };
  return { heading: t("approveOther", { tool: toolName }), covers: "" };
}
