// The page's own sections.

import { busyEnter, Choices, language, locale, permission, preferred, settings, theme, type PluginScope } from "keylane";
import { t } from "./messages";

export function addSections(scope: PluginScope): void {
  scope.settings({ id: "general", label: () => t("general"), order: 0, component: General });
  scope.settings({ id: "appearance", label: () => t("appearance"), order: 10, component: Appearance });
  scope.settings({ id: "language", label: () => t("language"), order: 20, component: Language });
}

function General() {
  const hostMode = settings.description.value?.hostMode;
  return (
    <>
      {settings.local && (
        <Choices
          label={t("permission")}
          about={t("permissionAbout")}
          value={permission.value.value}
          choices={[
            { value: "", label: t("hostMode"), ...(hostMode && { about: t("hostModeAbout", { mode: t(hostMode) }) }) },
            { value: "ask", label: t("ask"), about: t("askAbout") },
            { value: "read-only", label: t("read-only"), about: t("readOnlyAbout") },
            { value: "full", label: t("full"), about: t("fullAbout") },
          ]}
          choose={permission.set}
        />
      )}
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
