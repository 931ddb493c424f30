// What a newcomer sees: that no model is connected and what to do, and the
// demo's prompts as buttons.

import "./setup.css";
import { useSignal } from "@preact/signals";
import { Button, Icon, RpcError, openSettings, openStart, settings, useClient, type PluginScope, type ProviderInfo } from "keylane";
import { t } from "./messages";

export function activate(scope: PluginScope): void {
  scope.fill("dock", Notice, -10);
  scope.fill("dock", DemoPrompts, 10);
}

/** The provider that the next prompt goes to, and whether anything is known about it yet. */
function useProvider(): { known: boolean; provider: ProviderInfo | undefined } {
  const client = useClient();
  const target = client.target.value;
  const described = client.description.value !== undefined;
  const ready = client.open.value === undefined || target !== undefined;
  return { known: described && ready, provider: client.providers.value.find((item) => item.id === target?.provider) };
}

function Notice() {
  const client = useClient();
  const { known, provider } = useProvider();
  if (!known || provider?.ready) return null;
  const demo = client.providers.value.find((item) => item.demo && item.ready);
  const variable = "DEEPSEEK_API_KEY";
  return (
    <section class="setup" aria-label={t("setup")}>
      <p class="setup-title">{t("title")}</p>
      <p>{provider === undefined ? t("none", { variable }) : provider.reason === "missing-key" ? t("missingKey", { variable }) : t("notReady", { provider: provider.name, reason: provider.reason ?? "" })}</p>
      {provider?.reason === "missing-key" && settings.local && <Button look="primary" aria-haspopup="dialog" onClick={() => openSettings("models")}>{t("enterKey")}</Button>}
      {demo && (
        <>
          <p>{t("demoHelp")}</p>
          <Button
            onClick={() => {
              client.chosen.value = { provider: demo.id, model: demo.models?.[0]?.id ?? "" };
              openStart();
            }}
          >
            {t("tryDemo")}
          </Button>
        </>
      )}
    </section>
  );
}

/** The demo's prompts that this session hasn't asked yet. */
function DemoPrompts() {
  const client = useClient();
  const problem = useSignal("");
  const { provider } = useProvider();
  const open = client.open.value;
  if (!provider?.demo || client.running.value || (open && open.load.value.kind !== "ready") || (open?.pending.value.length ?? 0) > 0) return null;
  const asked = new Set(open?.transcript.value.rows.map((row) => (row.kind === "user" ? row.text : "")));
  const prompts = (provider.prompts ?? []).filter((prompt) => !asked.has(prompt));
  if (prompts.length === 0) return null;
  const send = async (prompt: string) => {
    problem.value = "";
    try {
      await client.send(prompt);
    } catch (error) {
      problem.value = error instanceof RpcError ? error.code : "internal";
    }
  };
  return (
    <div class="demo" role="group" aria-label={t("prompts")}>
      <p>{open ? t("demoNext") : t("demoLead")}</p>
      {(open ? prompts.slice(0, 1) : prompts).map((prompt) => (
        <button type="button" key={prompt} class="demo-prompt" onClick={() => void send(prompt)}>
          <span>{prompt}</span>
          <Icon name="arrow-up" />
        </button>
      ))}
      {problem.value && <p role="alert">{t("failed", { code: problem.value })}</p>}
    </div>
  );
}
