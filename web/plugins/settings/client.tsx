// The settings dialog: its trigger at the foot of the sidebar, and a list of
// sections beside the one that is looked at. Plugins bring the sections
// (scope.settings).

import "./settings.css";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button, closeSettings, Dialog, IconButton, openSettings, settingsShown, type PluginScope, type SettingsSection } from "keylane";
import { t } from "./messages";
import { Failure, FileNotice } from "./notices";
import { addSections } from "./sections";

export function activate(scope: PluginScope): void {
  addSections(scope);
  scope.fill("sidebar-foot", Trigger);
  // Not beside its trigger: there it would be hidden with the sidebar.
  scope.fill("dock", () => <Place sections={scope.sections.value} />, -10);
}

function Trigger() {
  return (
    <Button icon="sliders-horizontal" look="quiet" aria-haspopup="dialog" aria-expanded={settingsShown.value !== undefined} onClick={() => openSettings()}>
      {t("settings")}
    </Button>
  );
}

/** Where the dialog comes and goes; when it goes, the focus returns to where it was. */
function Place({ sections }: { sections: readonly SettingsSection[] }) {
  const open = settingsShown.value !== undefined;
  const before = useRef<Element | null>(null);
  if (open) before.current ??= document.activeElement; // now: a moment later the dialog has it
  useLayoutEffect(() => {
    if (open) return;
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
    before.current = null;
  }, [open]);
  return open ? <SettingsDialog sections={sections} /> : <Failure />;
}

function SettingsDialog({ sections }: { sections: readonly SettingsSection[] }) {
  const nav = useRef<HTMLElement>(null);
  const current = sections.find((section) => section.id === settingsShown.value) ?? sections[0];
  useLayoutEffect(() => nav.current?.querySelector<HTMLElement>("[aria-current]")?.focus(), []);
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
        <div class="settings-section" key={current?.id}>
          <FileNotice />
          <Failure />
          {current && <current.component />}
        </div>
      </div>
    </Dialog>
  );
}
