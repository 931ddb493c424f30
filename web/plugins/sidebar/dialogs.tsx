import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button, Dialog, isComposing, RpcError, useClient, type SessionSummary } from "keylane";
import { t } from "./messages";
import { titleOf } from "./row";

interface DialogProps {
  readonly item: SessionSummary;
  readonly close: () => void;
}

/** Runs what a dialog is for, once at a time, and closes it unless that fails. */
function useDeed(act: () => Promise<unknown>, close: () => void) {
  const error = useSignal<RpcError | undefined>(undefined);
  const busy = useSignal(false);
  const run = async () => {
    if (busy.value) return;
    busy.value = true;
    error.value = undefined;
    try {
      await act();
      close();
    } catch (cause) {
      error.value = cause instanceof RpcError ? cause : new RpcError("internal", String(cause));
    } finally {
      busy.value = false;
    }
  };
  return { run, busy: busy.value, error: error.value, forgive: () => (error.value = undefined) };
}

export function RenameDialog({ item, close }: DialogProps) {
  const client = useClient();
  const field = useRef<HTMLInputElement>(null);
  const name = useSignal(item.title);
  const problem = useId();
  const { run, busy, error, forgive } = useDeed(() => client.sessions.rename(item.sessionId, name.value), close);
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <Dialog title={t("renameTitle")} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <input
          ref={field}
          class="sidebar-field"
          aria-label={t("name")}
          aria-invalid={error !== undefined}
          aria-describedby={error ? problem : undefined}
          autoFocus
          autocomplete="off"
          spellcheck={false}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
            forgive();
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && isComposing(event)) event.preventDefault(); // it ends the composition, not the dialog
          }}
        />
        {error && <p id={problem} class="dialog-failure" role="alert">{error.code === "title-invalid" ? t("nameInvalid") : <>{error.message} <code>{error.code}</code></>}</p>}
        <div class="dialog-actions">
          <Button onClick={close}>{t("cancel")}</Button>
          <Button look="primary" type="submit" disabled={busy}>{t("doRename")}</Button>
        </div>
      </form>
    </Dialog>
  );
}

export function RemoveDialog({ item, close }: DialogProps) {
  const client = useClient();
  const { run, busy, error } = useDeed(() => client.sessions.remove(item.sessionId), close);
  return (
    <Dialog title={t("removeTitle")} role="alertdialog" close={close}>
      <div class="dialog-text">
        <p>{t("removeWhat", { title: titleOf(item) })}</p>
        {item.running && <p>{t("removeRunning")}</p>}
      </div>
      {error && <p class="dialog-failure" role="alert">{error.message} <code>{error.code}</code></p>}
      <div class="dialog-actions">
        <Button autoFocus onClick={close}>{t("cancel")}</Button>
        <Button look="danger" disabled={busy} onClick={() => void run()}>{t("doRemove")}</Button>
      </div>
    </Dialog>
  );
}
