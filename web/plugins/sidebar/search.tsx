import "./search.css";
import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Button, Icon, IconButton, isComposing, now, openSession, relativeTime, sessionPath, showSidebar, useClient, type SearchMark } from "keylane";
import { t as sidebar } from "./messages";
import { t } from "./search-messages";
import { pieces, SessionSearch, type Found } from "./searching";

/** The search box, and below it what it finds, or the children while nothing is searched for. */
export function Search({ children }: { readonly children: ComponentChildren }) {
  const client = useClient();
  const box = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLDivElement>(null);
  const search = useMemo(() => new SessionSearch((query, signal) => client.rpc.call("session.search", { query }, undefined, signal)), [client]);
  useEffect(() => () => search.end(), [search]);
  useLayoutEffect(() => { // from the moment that the box is seen
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      showSidebar();
      take(box.current);
      if (document.activeElement !== box.current) requestAnimationFrame(() => take(box.current)); // what was hidden takes no focus yet
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  const clear = () => {
    search.type("");
    box.current?.focus();
  };
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || isComposing(event) || search.query.value === "") return;
    event.preventDefault();
    event.stopPropagation(); // the drawer stays
    clear();
  };
  const onBoxKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter") search.now();
    const first = event.key === "ArrowDown" ? results.current?.querySelector<HTMLElement>("[role=treeitem]") : undefined;
    if (!first) return;
    event.preventDefault();
    first.focus();
  };
  return (
    <search class="search" onKeyDown={onEscape}>
      <div class="search-field">
        <Icon name="search" />
        <input
          ref={box}
          type="search"
          aria-label={t("search")}
          placeholder={t("placeholder")}
          maxLength={500}
          autocomplete="off"
          spellcheck={false}
          value={search.query.value}
          onInput={(event) => search.type(event.currentTarget.value)}
          onKeyDown={onBoxKey}
        />
        {search.query.value !== "" && <IconButton icon="x" label={t("clear")} onClick={clear} />}
      </div>
      {search.active.value ? <Results search={search} tree={results} onLeave={() => box.current?.focus()} /> : children}
    </search>
  );
}

/** Gives the box the focus, and what is typed next replaces the query. */
function take(box: HTMLInputElement | null): void {
  box?.focus();
  box?.select();
}

interface ResultsProps {
  readonly search: SessionSearch;
  readonly tree: RefObject<HTMLDivElement | null>;
  /** The focus goes back to where the query is. */
  readonly onLeave: () => void;
}

/** What was found, as a tree with one tab stop. */
function Results({ search, tree, onLeave }: ResultsProps) {
  const client = useClient();
  const focused = useSignal<string | undefined>(undefined);
  const { items, more } = search.found(client.lists.sessions.value);
  const openId = client.open.value?.id;
  const stop = (items.find((item) => item.session.sessionId === focused.value) ?? items[0])?.session.sessionId;
  const failed = search.state.value === "failed";

  const onKeyDown = (event: KeyboardEvent) => {
    const rows = [...(tree.current?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    if (target < 0) onLeave();
    else rows[Math.min(rows.length - 1, target)]?.focus();
  };
  const told = failed ? t("unavailable") : search.state.value === "asking" ? (items.length === 0 ? t("asking") : "") : items.length === 0 ? t("none") : more ? t("more") : "";
  return (
    <>
      {items.length > 0 && (
        <div class="tree" role="tree" aria-label={t("results")} ref={tree} onKeyDown={onKeyDown}>
          {items.map((item) => (
            <Row
              key={item.session.sessionId}
              item={item}
              selected={item.session.sessionId === openId}
              tabStop={item.session.sessionId === stop}
              onFocus={() => (focused.value = item.session.sessionId)}
            />
          ))}
        </div>
      )}
      <div class="search-note">
        <p role="status">{told}</p>
        {failed && <Button icon="refresh-cw" onClick={() => search.now()}>{t("retry")}</Button>}
      </div>
    </>
  );
}

interface RowProps {
  readonly item: Found;
  readonly selected: boolean;
  readonly tabStop: boolean;
  readonly onFocus: () => void;
}

function Row({ item: { session, title, snippet, marks }, selected, tabStop, onFocus }: RowProps) {
  return (
    <a
      class="tree-item found"
      role="treeitem"
      href={sessionPath(session.sessionId)}
      aria-selected={selected}
      tabIndex={tabStop ? 0 : -1}
      title={session.problem}
      data-session-id={session.sessionId}
      onFocus={onFocus}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        openSession(session.sessionId);
      }}
    >
      <span class="found-head">
        {session.problem && <Icon name="triangle-alert" />}
        <span class="tree-title">{session.title ? <Marked text={session.title} marks={title} /> : session.problem ? sidebar("unreadable") : sidebar("untitled")}</span>
        <span class="tree-time">{relativeTime(session.updatedAt, now.value)}</span>
      </span>
      {snippet !== "" && <span class="found-snippet"><Marked text={snippet} marks={marks} /></span>}
    </a>
  );
}

function Marked({ text, marks }: { readonly text: string; readonly marks: readonly SearchMark[] }) {
  return <>{pieces(text, marks).map((piece, index) => (piece.marked ? <mark key={index}>{piece.text}</mark> : piece.text))}</>;
}
