import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { address, closeDetails, details, detailsAsked, IconButton, leaveDetails, showDetails, useClient } from "keylane";
import { detailsFit, detailsLimits, detailsMax, detailsShown, detailsWidth, drawer } from "./columns";
import { t } from "./messages";
import { Separator } from "./separator";
import { tabId } from "./views";

const columnId = "details-column";

/** How the details are shown: beside the centre, over it, or not. */
export type Placement = "column" | "sheet" | "closed";

/**
 * Where the details are. A window that becomes too narrow takes the column away and gives it back when there is room again; asked for
 * where there is none, they come as a sheet.
 */
export function usePlacement(): Placement {
  const open = useClient().open.value;
  const wanted = details.value !== undefined && details.value.sessionId === open?.id;
  const sheet = useSignal(false);
  const asked = useRef(detailsAsked.peek());
  useLayoutEffect(() => {
    if (details.peek() && details.peek()!.sessionId !== open?.id) leaveDetails();
  }, [open?.id]);
  // Whoever goes to another view from a sheet wants to see it.
  const view = address.value.view;
  useLayoutEffect(() => {
    if (sheet.peek() && document.activeElement?.closest("[data-details-column]")) document.getElementById(tabId(view))?.focus();
    sheet.value = false;
  }, [view]);
  useLayoutEffect(() => {
    if (asked.current !== detailsAsked.value) sheet.value = !detailsFit.peek();
    asked.current = detailsAsked.value;
  }, [detailsAsked.value]);
  useLayoutEffect(() => {
    sheet.value = false;
  }, [detailsFit.value]);
  if (!wanted) return "closed";
  return detailsFit.value ? "column" : sheet.value ? "sheet" : "closed";
}

/** Opens and closes the details. */
export function DetailsToggle({ placement }: { placement: Placement }) {
  const shown = placement !== "closed";
  return (
    <IconButton
      icon="panel-right"
      label={t("details")}
      aria-expanded={shown}
      onClick={() => (shown ? closeDetails() : showDetails(details.peek()?.event))}
    />
  );
}

/** The column, with words of its own while nothing is chosen. */
export function DetailsColumn({ placement, children }: { placement: Placement; children: ComponentChildren }) {
  const column = useRef<HTMLElement>(null);
  // What lies under a sheet must not keep the focus, nor have a key that is pressed at once.
  useLayoutEffect(() => {
    if (placement === "sheet") column.current?.focus({ preventScroll: true });
  }, [placement]);
  return (
    <aside class="details" id={columnId} ref={column} tabIndex={-1} aria-label={t("details")} data-details-column data-placement={placement} data-drawer={drawer.value ? "" : undefined}>
      {placement === "column" && (
        <Separator
          label={t("resizeDetails")}
          controls={columnId}
          side="right"
          width={detailsShown.value}
          min={detailsLimits.min}
          max={detailsMax.value}
          initial={detailsLimits.initial}
          onWidth={(width) => (detailsWidth.value = width)}
          onCollapse={closeDetails}
        />
      )}
      {details.value?.event === undefined ? (
        <>
          <header class="details-head"><h2>{t("details")}</h2></header>
          <p class="details-empty">{t("detailsEmpty")}</p>
        </>
      ) : (
        children
      )}
      <div class="details-close"><IconButton icon="x" label={t("closeDetails")} onClick={closeDetails} /></div>
    </aside>
  );
}
