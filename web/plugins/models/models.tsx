// The keys that providers need. A key can be put in and taken away; nothing shows one.

import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { Button, RpcError, settings, useClient, type CredentialItem } from "keylane";
import { t } from "./messages";

export function Models() {
  const { credentials } = useClient();
  const failed = useSignal<RpcError | undefined>(undefined);
  useEffect(() => {
    if (settings.local) credentials.refresh().catch((cause: unknown) => (failed.value = problemOf(cause)));
  }, []);
  const description = credentials.description.value;
  return (
    <section class="models" aria-labelledby="models-keys">
      <h3 id="models-keys">{t("keys")}</h3>
      <p class="choices-about">{t("keysAbout")}</p>
      {!settings.local ? (
        <p>{t("elsewhere")}</p>
      ) : failed.value ? (
        <Problem error={failed.value} />
      ) : !description ? (
        <p>{t("loading")}</p>
      ) : (
        <>
          {description.problem && <p class="settings-notice" role="alert">{description.problem}</p>}
          {description.items.length === 0 && <p>{t("nobody")}</p>}
          {description.items.map((item) => <Key key={item.ref} item={item} />)}
          <p class="models-file"><code>{description.file}</code></p>
        </>
      )}
    </section>
  );
}

/** One provider's key: where it comes from, a field for another one, and a way to be rid of it. */
function Key({ item }: { item: CredentialItem }) {
  const { credentials } = useClient();
  const id = useId();
  const value = useSignal("");
  const busy = useSignal(false);
  const failed = useSignal<RpcError | undefined>(undefined);
  const done = useSignal("");
  const run = async (deed: () => Promise<void>, said: string) => {
    if (busy.value) return;
    busy.value = true;
    failed.value = undefined;
    done.value = "";
    try {
      await deed();
      value.value = ""; // the page keeps none
      done.value = said;
    } catch (cause) {
      failed.value = problemOf(cause);
    } finally {
      busy.value = false;
    }
  };
  const wins = item.source === "environment" || item.source === "row";
  return (
    <form
      class="models-key"
      aria-label={item.name}
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => credentials.set(item.ref, value.value), t("saved"));
      }}
    >
      <p class="models-name">{item.name}</p>
      <p id={`${id}-source`} class="models-source">
        {item.source === "environment" ? t("environment", { variable: item.variable ?? "" }) : t(item.source)} {wins && item.stored && t("kept")}
      </p>
      <div class="models-line">
        <input
          type="password"
          class="models-field"
          autocomplete="off"
          spellcheck={false}
          aria-label={t("key", { name: item.name })}
          aria-describedby={`${id}-source`}
          aria-invalid={failed.value?.details["reason"] === "invalid"}
          value={value.value}
          onInput={(event) => (value.value = event.currentTarget.value)}
        />
        <Button type="submit" look="primary" disabled={busy.value || value.value.trim() === ""}>{t("save")}</Button>
        {item.stored && <Button disabled={busy.value} onClick={() => void run(() => credentials.unset(item.ref), t("removed"))}>{t("remove")}</Button>}
      </div>
      <p role="status" class="models-done">{done.value}</p>
      {failed.value && <Problem error={failed.value} />}
    </form>
  );
}

function Problem({ error }: { error: RpcError }) {
  const reason = error.details["reason"];
  return (
    <p class="models-problem" role="alert">
      {reason === "invalid" || reason === "broken" ? t(reason) : <>{t("failed")} {error.message} <code>{error.code}</code></>}
    </p>
  );
}

function problemOf(cause: unknown): RpcError {
  return cause instanceof RpcError ? cause : new RpcError("internal", String(cause));
}
