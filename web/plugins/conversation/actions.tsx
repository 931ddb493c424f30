import { useSignal } from "@preact/signals";
import { CopyButton, IconButton, openSession, useClient, type Said } from "keylane";
import { t } from "./messages";

/** What can be done with a prompt. */
export function PromptActions({ text }: { text: string }) {
  return <div class="message-actions"><Copy text={text} /></div>;
}

/** What can be done with a message of the model. */
export function MessageActions({ message }: { message: Said }) {
  return (
    <div class="message-actions">
      <Copy text={message.text} />
      <Branch message={message} />
    </div>
  );
}

function Copy({ text }: { text: string }) {
  return <CopyButton label={t("copyMessage")} copied={t("copied")} failed={t("copyFailed")} text={() => text} />;
}

/** Goes on from here in a session of its own; this one stays as it is. Where that can't be, the button stays and says why. */
function Branch({ message }: { message: Said }) {
  const client = useClient();
  const branching = useSignal(false);
  const failed = useSignal("");
  const branch = async () => {
    const session = client.open.value;
    if (!session || !message.ends || branching.value) return;
    branching.value = true;
    failed.value = "";
    try {
      openSession(await session.branch(message.seq));
    } catch (error) {
      failed.value = (error as Error).message;
    } finally {
      branching.value = false;
    }
  };
  return (
    <>
      <IconButton
        icon="git-branch"
        label={t("branch")}
        title={message.ends ? t("branchHelp") : t("branchUnavailable")}
        aria-disabled={!message.ends || branching.value}
        onClick={() => void branch()}
      />
      {failed.value && <span class="message-failed" role="alert">{t("branchFailed")} {failed.value}</span>}
    </>
  );
}
