// The page's own sections.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Button, busyEnter, Choices, language, locale, permission, preferred, settings, theme, type PermissionSetting, type PluginScope } from "keylane";
import { t } from "./messages";

export function addSections(scope: PluginScope): void {
  scope.settings({ id: "general", label: () => t("general"), order: 0, component: General });
  scope.settings({ id: "appearance", label: () => t("appearance"), order: 10, component: Appearance });
  scope.settings({ id: "language", label: () => t("language"), order: 20, component: Language });
}

/** What new sessions may do. Full access takes a second step, as in a session. */
function Permission() {
  const box = useRef<HTMLDivElement>(null);
  const hostMode = settings.description.value?.hostMode;
  const confirming = useSignal(false);
  const choose = (mode: PermissionSetting) => {
    confirming.value = mode === "full" && permission.value.value !== "full";
    if (!confirming.value) permission.set(mode);
  };
  const decide = (mode: PermissionSetting) => {
    confirming.value = false;
    box.current?.querySelector<HTMLInputElement>(`input[value="${mode}"]`)?.focus(); // its button goes
    if (mode !== permission.value.value) permission.set(mode);
  };
  return (
    <div ref={box} class="settings-permission">
      <Choices
        label={t("permission")}
        about={t("permissionAbout")}
        value={confirming.value ? "full" : permission.value.value}
        choices={[
          { value: "", label: t("hostMode"), ...(hostMode && { about: t("hostModeAbout", { mode: t(hostMode) }) }) },
          { value: "ask", label: t("ask"), about: t("askAbout") },
          { value: "read-only", label: t("read-only"), about: t("readOnlyAbout") },
          { value: "full", label: t("full"), about: t("fullAbout") },
        ]}
        choose={choose}
      />
      {confirming.value && (
        <div class="settings-confirm" role="alert">
          <p>{t("fullExplained")}</p>
          <Button onClick={() => decide(permission.value.value)}>{t("keep")}</Button>
          <Button look="primary" onClick={() => decide("full")}>{t("allowFull")}</Button>
        </div>
      )}
    </div>
  );
}

function General() {
  return (
    <>
      {settings.local && <Permission />}
      <Choices
        label={t("busyEnter")}
        about={t("busyEnterAbout")}
        value={busyEnter.value.value}
        choices={[
          { value: "queue", label: t("queue"), about: t("queueAbout") },
          { value: "steer", label: t("steer"), about: t("steerAbout") },
        ]}
        choose={busyEnter.set}
      />
    </>
  );
}

function Appearance() {
  return (
    <Choices
      label={t("theme")}
      value={theme.value.value}
      choices={[
        { value: "light", label: t("light") },
        { value: "dark", label: t("dark") },
        { value: "system", label: t("system"), about: t("systemAbout") },
      ]}
      choose={theme.set}
    />
  );
}

/** Every language calls itself by its own name, so that whoever cannot read this one finds the way out. */
function Language() {
  const browsers = preferred(navigator.languages) === "zh" ? "中文" : "English";
  return (
    <Choices
      label={t("language")}
      about={t("languageAbout")}
      value={language.value.value}
      choices={[
        { value: "", label: t("browser"), about: t("browserAbout", { language: browsers }) },
        { value: "zh", label: "中文", ...(locale.value !== "zh" && { lang: "zh" }) },
        { value: "en", label: "English", ...(locale.value !== "en" && { lang: "en" }) },
      ]}
      choose={language.set}
    />
  );
}
