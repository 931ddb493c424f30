// The settings dialog: its trigger at the foot of the sidebar, and a list of
// sections beside the one that is looked at. Plugins bring the sections
// (scope.settings).

import "./settings.css";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button, closeSettings, Dialog, IconButton, openSettings, settingsShown, type PluginScope, type SettingsSection } from "keylane";
import { t } from "./messages";

export function activate(scope: PluginScope): void {
  scope.fill("sidebar-foot", () => <Settings sections={scope.sections.value} />);
}

function Settings({ sections }: { sections: readonly SettingsSection[] }) {
  const open = settingsShown.value !== undefined;
  return (
    <>
      <Button icon="sliders-horizontal" look="quiet" aria-haspopup="dialog" aria-expanded={open} onClick={() => openSettings()}>{t("settings")}</Button>
      {open && <SettingsDialog sections={sections} />}
    </>
  );
}

function SettingsDialog({ sections }: { sections: readonly SettingsSection[] }) {
  const nav = useRef<HTMLElement>(null);
  const current = sections.find((section) => section.id === settingsShown.value) ?? sections[0];
  const before = useRef(document.activeElement); // while it renders: the dialog itself takes the focus before any effect of ours
  useLayoutEffect(() => {
    nav.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
    return () => {
      if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
    };
  }, []);
  return (
    <Dialog wide title={t("settings")} close={closeSettings} aside={<IconButton icon="x" label={t("close")} onClick={closeSettings} />}>
      <div class="settings">
        <nav ref={nav} class="settings-nav" aria-label={t("sections")}>
          {sections.map((section) => (
            <button
              key={section.id}
              type="button"
              class="settings-tab"
              aria-current={section === current ? "true" : undefined}
              onClick={() => openSettings(section.id)}
            >
              {section.label()}
            </button>
          ))}
        </nav>
        <div class="settings-section" key={current?.id}>{current && <current.component />}</div>
      </div>
    </Dialog>
  );
}
