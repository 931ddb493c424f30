import { useSignal } from "@preact/signals";
import { Button, Icon, useClient, type Mode } from "keylane";
import { t } from "./messages";

const modes: readonly Mode[] = ["ask", "read-only", "full"];

interface Access {
  /** Full access is asked for and not yet confirmed. */
  readonly confirming: boolean;
  readonly choose: (mode: Mode) => void;
  readonly cancel: () => void;
}

/** What a person does with the session's access: choosing full access takes a second step. */
export function useAccess(set: (mode: Mode) => void): Access {
  const client = useClient();
  const place = client.open.value?.id ?? "";
  const asked = useSignal<string | undefined>(undefined);
  const confirming = asked.value === place && client.mode.value !== "full";
  return {
    confirming,
    choose: (mode) => {
      const confirm = mode === "full" && !confirming && client.mode.value !== "full";
      asked.value = confirm ? place : undefined;
      if (!confirm && mode !== client.mode.value) set(mode);
    },
    cancel: () => (asked.value = undefined),
  };
}

/** What the agent may do without asking. */
export function AccessChoice({ access }: { access: Access }) {
  const mode = useClient().mode.value;
  if (!mode) return null;
  return (
    <span class="composer-access" data-mode={mode}><span class="composer-access-label" aria-hidden="true">{t("access")}</span><select
      aria-label={t("access")}
      value={mode}
      onChange={(event) => {
        const next = event.currentTarget.value as Mode;
        event.currentTarget.value = mode; // it shows what holds, not what was asked for
        access.choose(next);
      }}
    >
      {modes.map((item) => <option key={item} value={item} selected={item === mode}>{t(item)}</option>)}
    </select><Icon name="chevron-down" /></span>
  );
}

/** The second step before full access. */
export function FullAccess({ access }: { access: Access }) {
  if (!access.confirming) return null;
  return (
    <section class="composer-full" aria-label={t("full")}>
      <p>{t("fullExplained")}</p>
      <Button onClick={access.cancel}>{t("keep")}</Button>
      <Button look="primary" onClick={() => access.choose("full")}>{t("allowFull")}</Button>
    </section>
  );
}
