import { useRef } from "preact/hooks";
import { address, openView, useClient, type View } from "keylane";
import type { Boot } from "./boot";
import { t } from "./messages";

interface Shown {
  /** Undefined for the conversation. */
  readonly view: (View & { readonly plugin: string }) | undefined;
  /** Whether there is anything to choose between. */
  readonly tabs: boolean;
}

/** What of the open session is shown. There is nothing to choose before its first turn. */
export function useShown(boot: Boot): Shown {
  const open = useClient().open.value;
  const views = boot.slots.views.value;
  const view = open && views.find((item) => item.id === address.value.view);
  const begun = open !== undefined && (open.stats.value.turns > 0 || open.transcript.value.turns > 0);
  return { view, tabs: views.length > 0 && (begun || view !== undefined) };
}

/** Ids of the elements that a tab and its panel name each other by. */
export const panelId = "view-panel";
export const tabId = (view: string) => `view-tab-${view || "chat"}`;

/** The views of the open session as tabs: one tab stop, arrows move and show. */
export function Views({ boot }: { boot: Boot }) {
  const list = useRef<HTMLDivElement>(null);
  const { view, tabs } = useShown(boot);
  if (!tabs) return null;
  const all = [{ id: "", label: () => t("chat") }, ...boot.slots.views.value];
  const current = all.findIndex((item) => item.id === (view?.id ?? ""));
  const onKeyDown = (event: KeyboardEvent) => {
    const at = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at === undefined) return;
    event.preventDefault();
    const next = (at + all.length) % all.length;
    openView(all[next]!.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={t("views")} ref={list} onKeyDown={onKeyDown}>
      {all.map((item, index) => (
        <button
          key={item.id}
          type="button"
          class="tab"
          role="tab"
          id={tabId(item.id)}
          aria-selected={index === current}
          aria-controls={panelId}
          tabIndex={index === current ? 0 : -1}
          onClick={() => openView(item.id)}
        >
          {item.label()}
        </button>
      ))}
    </div>
  );
}
