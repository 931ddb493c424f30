import { useLayoutEffect, useRef } from "preact/hooks";
import { isComposing, type DirectoryListing } from "keylane";
import { t } from "./messages";

interface CrumbsProps {
  readonly crumbs: DirectoryListing["crumbs"];
  /** Goes to a folder; `from` is the one below it on the way, to begin at. */
  readonly go: (path: string, from?: string) => void;
}

/** The way from the root; its end is always in sight. */
export function Crumbs({ crumbs, go }: CrumbsProps) {
  const way = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (way.current) way.current.scrollLeft = way.current.scrollWidth;
  }, [crumbs]);
  return (
    <nav ref={way} class="folders-crumbs" aria-label={t("way")}>
      <ol>
        {crumbs.map(({ name, path }, position) => {
          const here = position === crumbs.length - 1;
          return (
            <li key={path}>
              <button type="button" aria-current={here ? "location" : undefined} onClick={() => go(path, crumbs[position + 1]?.path)}>{name}</button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

interface PathFieldProps {
  readonly path: string;
  /** Id of the text that says why the path was not opened. */
  readonly problem: string | undefined;
  readonly go: (path: string) => Promise<void>;
  readonly leave: () => void;
}

/** The way as a text: Enter goes there, Escape leaves it as it was. */
export function PathField({ path, problem, go, leave }: PathFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <input
      ref={field}
      class="folders-field folders-field-path"
      aria-label={t("path")}
      aria-invalid={problem !== undefined}
      aria-describedby={problem}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      defaultValue={path}
      onKeyDown={(event) => {
        if (isComposing(event)) return;
        if (event.key === "Enter" && event.currentTarget.value.trim() !== "") void go(event.currentTarget.value.trim());
        else if (event.key === "Escape") leave();
        else return;
        event.preventDefault(); // Escape would close the dialog
        event.stopPropagation();
      }}
    />
  );
}
