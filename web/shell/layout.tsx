import { useComputed } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Button, closeDetails, IconButton, narrow, sidebarOpen, useClient, type SlotName, type SlotRegistry } from "keylane";
import { DetailsColumn, DetailsToggle, usePlacement } from "./aside";
import type { Boot } from "./boot";
import { HomelessFailures, PluginBoundary } from "./boundary";
import { detailsShown, drawer, sidebarLimits, sidebarWidth } from "./columns";
import { t } from "./messages";
import { Outdated } from "./outdated";
import { Separator } from "./separator";
import { Shortcuts } from "./shortcuts";
import { panelId, tabId, useShown, Views } from "./views";

const sidebarId = "sidebar-column";

/** True where Escape has a meaning of its own, or takes back what is typed. */
function elsewhere(event: KeyboardEvent): boolean {
  return event.defaultPrevented || document.querySelector("dialog[open]") !== null;
}

/** The page's frame: sessions at the side, the conversation in the middle, details of what is chosen beside it. */
export function Layout({ boot }: { boot: Boot }) {
  const client = useClient();
  const toggle = useRef<HTMLButtonElement>(null);
  const open = client.open.value;
  const placement = usePlacement();
  const shown = useRef(placement);
  shown.current = placement;
  const { tabs } = useShown(boot);

  const closeSidebar = () => {
    sidebarOpen.value = false;
    toggle.current?.focus();
  };
  useEffect(() => {
    const onWidth = () => (sidebarOpen.value = !narrow.matches);
    // Escape closes what is on top: the drawer, then the details; a column beside a field that is typed in is not on top of it.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || elsewhere(event)) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (narrow.matches && sidebarOpen.value) closeSidebar();
      else if (shown.current === "sheet" || (shown.current === "column" && !target.closest(".dock, .sidebar"))) closeDetails();
    };
    narrow.addEventListener("change", onWidth);
    addEventListener("keydown", onKey);
    return () => {
      narrow.removeEventListener("change", onWidth);
      removeEventListener("keydown", onKey);
    };
  }, []);
  useEffect(() => {
    if (narrow.matches) sidebarOpen.value = false; // the drawer has done its work
  }, [open?.id]);

  if (boot.state.value === "failed") return <BootFailure />;
  return (
    <div
      class="frame"
      data-sidebar={sidebarOpen.value ? "open" : "closed"}
      data-details={placement}
      data-details-collapsed={placement !== "column"}
      style={{ "--sidebar": `${sidebarWidth.value}px`, "--details": `${detailsShown.value}px` }}
    >
      <nav class="sidebar" id={sidebarId} aria-label={t("sessions")}>
        <Slot name="sidebar" boot={boot} />
        <div class="sidebar-foot">
          <Slot name="sidebar-foot" boot={boot} />
          <Shortcuts />
        </div>
        {sidebarOpen.value && !drawer.value && (
          <Separator
            label={t("resizeSidebar")}
            controls={sidebarId}
            side="left"
            width={sidebarWidth.value}
            {...sidebarLimits}
            onWidth={(width) => (sidebarWidth.value = width)}
            onCollapse={closeSidebar}
          />
        )}
      </nav>
      <div class="scrim" onClick={() => (sidebarOpen.value = false)} />
      <main class="centre" aria-label={t("conversation")} data-start={open === undefined}>
        <header class="topbar">
          <IconButton
            buttonRef={toggle}
            icon="panel-left"
            label={sidebarOpen.value ? t("closeSidebar") : t("openSidebar")}
            aria-expanded={sidebarOpen.value}
            onClick={() => (sidebarOpen.value = !sidebarOpen.value)}
          />
          <Title />
          <Views boot={boot} />
          <ConnectionState />
          {tabs && <DetailsToggle placement={placement} />}
        </header>
        {boot.state.value === "loading" ? <p class="page-loading" role="status">{t("loading")}</p> : <Centre boot={boot} />}
        <div class="dock">
          <div class="dock-column">
            <Outdated boot={boot} />
            <HomelessFailures />
            <Slot name="dock" boot={boot} />
          </div>
        </div>
      </main>
      <div class="foot">
        <Slot name="foot" boot={boot} />
      </div>
      {placement !== "closed" && (
        <DetailsColumn placement={placement}>
          <Slot name="details" boot={boot} />
        </DetailsColumn>
      )}
    </div>
  );
}

/** The conversation, or the view that the address names. Its own element stays when tabs come, so that nothing in it starts again. */
function Centre({ boot }: { boot: Boot }) {
  const { view, tabs } = useShown(boot);
  const panel = tabs ? ({ role: "tabpanel", id: panelId, "aria-labelledby": tabId(view?.id ?? "") } as const) : {};
  return (
    <div class="panel" {...panel}>
      {view ? (
        <PluginBoundary key={view.id} plugin={view.plugin}>
          <view.component />
        </PluginBoundary>
      ) : (
        <Slot name="main" boot={boot} />
      )}
    </div>
  );
}

function Slot({ name, boot }: { name: SlotName; boot: Boot }) {
  const slots: SlotRegistry = boot.slots;
  return (
    <>
      {(slots.entries.value.get(name) ?? []).map(({ plugin, component: Part, order }) => (
        <PluginBoundary key={`${plugin}:${order}`} plugin={plugin}>
          <Part />
        </PluginBoundary>
      ))}
    </>
  );
}

/** The open session's title and where it works. */
function Title() {
  const client = useClient();
  const listed = useComputed(() => client.lists.sessions.value.find((item) => item.sessionId === client.open.value?.id));
  const title = useComputed(() => client.open.value?.transcript.value.title || listed.value?.title || "");
  useLayoutEffect(() => {
    document.title = title.value ? `${title.value} · keylane` : "keylane";
  }, [title.value]);
  if (!client.open.value) return <span class="topbar-space" />;
  return (
    <div class="title">
      {title.value && <h1>{title.value}</h1>}
      {listed.value?.cwd && <span class="title-path">{listed.value.cwd}</span>}
    </div>
  );
}

/** Nothing while all is well. */
function ConnectionState() {
  const client = useClient();
  const state = client.connection.state.value;
  return (
    <span class="connection" role="status" data-state={state}>
      {state === "reconnecting" ? t("reconnecting") : ""}
    </span>
  );
}

function BootFailure() {
  return (
    <main class="boot-failure">
      <div class="failure" role="alert">
        <h1 class="failure-title">{t("bootFailed")}</h1>
        <p>{t("bootFailedHelp")}</p>
        <Button look="primary" icon="refresh-cw" onClick={() => location.reload()}>{t("reload")}</Button>
      </div>
    </main>
  );
}
