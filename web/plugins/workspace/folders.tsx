import type { RefObject } from "preact";
import { useId, useLayoutEffect, useMemo } from "preact/hooks";
import { Icon, TypeAhead } from "keylane";
import { nameOf, type Browser } from "./browser";
import { t } from "./messages";

/** How many folders Page Up and Page Down pass. */
const page = 8;

/**
 * The folders in the folder where the person is: one tab stop. Arrows, Home, End, Page keys and letters move, Enter and the right arrow go
 * into a folder, Backspace and the left arrow go up.
 */
export function FolderList({ browser, listRef }: { browser: Browser; listRef: RefObject<HTMLDivElement | null> }) {
  const id = useId();
  const letters = useMemo(() => new TypeAhead(), []);
  const listing = browser.listing.value;
  const entries = browser.entries.value;
  const active = browser.active.value;

  useLayoutEffect(() => {
    listRef.current?.querySelector(`[aria-selected="true"]`)?.scrollIntoView({ block: "nearest" });
  }, [active, entries]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: entries.length - 1, PageDown: active + page, PageUp: active - page }[event.key];
    if (to !== undefined) browser.move(to);
    else if (event.key === "Enter" || event.key === "ArrowRight") void browser.enter();
    else if (event.key === "Backspace" || event.key === "ArrowLeft") void browser.up();
    else if (event.key.length === 1 && (event.key !== " " || letters.typing(event.timeStamp))) {
      const found = letters.find(event.key, event.timeStamp, entries.map((entry) => entry.name), active);
      if (found !== undefined) browser.move(found);
    } else {
      letters.end();
      return;
    }
    if (event.key.length > 1) letters.end();
    event.preventDefault();
    event.stopPropagation();
  };

  const hidden = (listing?.entries.length ?? 0) - entries.length;
  return (
    <div class="folders-box">
      <div
        ref={listRef}
        class="folders-list"
        role="listbox"
        tabIndex={0}
        aria-label={listing ? t("foldersIn", { name: nameOf(listing) }) : t("folders")}
        aria-busy={browser.loading.value}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        onKeyDown={onKeyDown}
      >
        {entries.map((entry, position) => (
          <div
            key={entry.path}
            id={`${id}-${position}`}
            role="option"
            class="folders-item"
            aria-selected={position === active}
            data-folder={entry.name}
            data-hidden={entry.hidden}
            onClick={() => void browser.go(entry.path)}
          >
            <Icon name="folder" />
            <span>{entry.name}</span>
            <Icon name="chevron-right" />
          </div>
        ))}
      </div>
      {listing && entries.length === 0 && (
        <p class="folders-empty" role="status">{hidden > 0 ? t("emptyButHidden", { n: hidden }) : t("empty")}</p>
      )}
      {!listing && browser.loading.value && <p class="folders-empty" role="status">{t("loading")}</p>}
      {listing?.truncated && <p class="folders-more" role="status">{t("truncated", { n: listing.entries.length })}</p>}
    </div>
  );
}
