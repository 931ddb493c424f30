import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { busyEnter, Floating, Icon, IconButton, type PromptMode } from "keylane";
import { t } from "./messages";

const modes: readonly PromptMode[] = ["queue", "steer"];

/** What Enter does while a turn runs: a button that says it, and a menu to choose. */
export function BusyEnter() {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();
  const open = useSignal(false);
  const mode = busyEnter.value.value;

  useLayoutEffect(() => {
    if (open.value) menu.current?.querySelector<HTMLElement>('[aria-checked="true"]')?.focus({ preventScroll: true });
  }, [open.value]);

  const close = () => {
    open.value = false;
    button.current?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitemradio]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (to !== undefined) {
      items.at(to % items.length)?.focus();
    } else {
      return;
    }
    event.preventDefault();
  };

  return (
    <>
      <IconButton
        buttonRef={button}
        icon="chevron-down"
        label={t(mode === "queue" ? "enterQueues" : "enterSteers")}
        aria-haspopup="menu"
        aria-expanded={open.value}
        aria-controls={open.value ? id : undefined}
        onMouseDown={(event) => event.preventDefault()} // else the menu closes before the click opens it again
        onClick={() => (open.value = !open.value)}
      />
      {open.value && (
        <Floating anchor={button} align="end">
          <div
            ref={menu}
            id={id}
            role="menu"
            aria-label={t("whileRunning")}
            class="busy-menu"
            onKeyDown={onKeyDown}
            onFocusOut={(event) => {
              if (!menu.current?.contains(event.relatedTarget as Node | null)) open.value = false;
            }}
          >
            <p class="busy-title" aria-hidden="true">{t("whileRunning")}</p>
            {modes.map((item) => (
              <button
                key={item}
                type="button"
                role="menuitemradio"
                aria-checked={item === mode}
                tabIndex={-1}
                class="busy-item"
                onClick={() => {
                  busyEnter.set(item);
                  close();
                }}
              >
                <span class="busy-check">{item === mode && <Icon name="check" />}</span>
                <span class="busy-words">
                  <span>{t(item === "queue" ? "queueIt" : "steerIt")}</span>
                  <span class="busy-about">{t(item === "queue" ? "queueAbout" : "steerAbout")}</span>
                </span>
              </button>
            ))}
            <p class="busy-title" aria-hidden="true">{t(mode === "queue" ? "otherSteers" : "otherQueues")}</p>
          </div>
        </Floating>
      )}
    </>
  );
}
