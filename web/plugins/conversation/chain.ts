// A wheel that is turned beside the messages, over the composer or what stands
// around it, moves the messages, once what lies under it is at its own end:
// the whole centre is one thing to a reader, though only a part of it scrolls.

/** Popups close over the centre without being a part of it. */
const apart = "dialog, [popover], [role=dialog], [role=menu], [role=listbox]";

/** How many pixels a wheel means that counts in lines. */
const line = 20;

/** Chains the wheel over the rest of `around` to `view`; the answer takes that back. */
export function chainWheel(view: HTMLElement, around: HTMLElement): () => void {
  const onWheel = (event: WheelEvent) => {
    const target = event.target as Element;
    if (event.defaultPrevented || event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
    if (view.contains(target) || target.closest(apart) || takes(target, around, event.deltaY)) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? view.clientHeight : event.deltaMode === WheelEvent.DOM_DELTA_LINE ? line : 1;
    view.scrollTop += event.deltaY * unit;
  };
  around.addEventListener("wheel", onWheel, { passive: true });
  return () => around.removeEventListener("wheel", onWheel);
}

/** Whether something from the target outwards can itself go further in that direction. */
function takes(target: Element, around: Element, deltaY: number): boolean {
  for (let element: Element | null = target; element && element !== around; element = element.parentElement) {
    const room = deltaY < 0 ? element.scrollTop : element.scrollHeight - element.clientHeight - element.scrollTop;
    if (room >= 1 && /auto|scroll/.test(getComputedStyle(element).overflowY)) return true;
  }
  return false;
}
