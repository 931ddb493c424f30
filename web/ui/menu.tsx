import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  readonly label: string;
  /** A second, quieter line: a path, whose end stays in sight. */
  readonly note?: string;
  /** A line stands above it: it is of another kind. */
  readonly apart?: boolean;
  readonly icon?: IconName;
  /** One of several choices, and whether it is the one that holds. */
  readonly checked?: boolean;
  /** Something is lost by it. */
  readonly danger?: boolean;
  readonly act: () => void;
}

interface MenuProps {
  readonly label: string;
  /** What it belongs to: it stands below it, or above where there is no room. */
  readonly anchor: HTMLElement;
  /** Which edge of the anchor it keeps to. */
  readonly align?: "start" | "end";
  readonly items: readonly MenuItem[];
  /** It is done with: something was chosen (before that is done), or it was left. Whoever shows it takes it away, and gives the focus back. */
  readonly close: () => void;
}

const gap = 4;
const margin = 12;

/** A menu above everything else, open as long as it is rendered; the first item, or the one that holds, has the focus. */
export function Menu({ label, anchor, align = "end", items, close }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const buttons = () => [...(menu.current?.querySelectorAll<HTMLElement>("button") ?? [])];

  useLayoutEffect(() => {
    const box = menu.current;
    if (!box) return;
    box.showPopover();
    const place = () => {
      const { top, bottom, left, right } = anchor.getBoundingClientRect();
      const { clientWidth, clientHeight } = document.documentElement;
      const below = bottom + gap + box.offsetHeight <= clientHeight - margin;
      box.style.top = `${below ? bottom + gap : Math.max(margin, top - gap - box.offsetHeight)}px`;
      box.style.left = `${Math.max(margin, Math.min(align === "start" ? left : right - box.offsetWidth, clientWidth - margin - box.offsetWidth))}px`;
    };
    place();
    const all = buttons();
    (all.find((button) => button.ariaChecked === "true") ?? all[0])?.focus();
    const onPress = (event: Event) => {
      if (!box.contains(event.target as Node)) close();
    };
    addEventListener("pointerdown", onPress, true);
    addEventListener("resize", close);
    addEventListener("blur", close);
    return () => {
      removeEventListener("pointerdown", onPress, true);
      removeEventListener("resize", close);
      removeEventListener("blur", close);
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to !== undefined) all[to]?.focus();
    else if (event.key.length === 1 && event.key !== " ") {
      const next = [...all.slice(at + 1), ...all.slice(0, at + 1)];
      next.find((button) => button.textContent?.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation(); // Escape closes the menu alone
  };

  return (
    <div ref={menu} class="menu" role="menu" aria-label={label} popover="manual" onKeyDown={onKeyDown} onContextMenu={(event) => event.preventDefault()}>
      {items.map((item, position) => (
        <button
          key={position}
          type="button"
          role={item.checked === undefined ? "menuitem" : "menuitemradio"}
          aria-checked={item.checked}
          tabIndex={-1}
          class={`menu-item${item.danger ? " menu-item-danger" : ""}${item.apart ? " menu-item-apart" : ""}`}
          onClick={() => {
            close();
            item.act();
          }}
        >
          {item.checked !== undefined && <span class="menu-check">{item.checked && <Icon name="check" />}</span>}
          {item.icon && <Icon name={item.icon} />}
          {item.note === undefined ? <span>{item.label}</span> : <span class="menu-words"><span>{item.label}</span><span class="menu-note"><bdi>{item.note}</bdi></span></span>}
        </button>
      ))}
    </div>
  );
}
