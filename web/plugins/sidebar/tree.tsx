import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon, locale, now, openSession, relativeTime, sessionPath, useClient, type SessionSummary } from "keylane";
import { t } from "./messages";

/** The sessions as a tree with one tab stop: arrows, Home and End move in it, Enter opens. */
export function SessionTree() {
  const client = useClient();
  const tree = useRef<HTMLDivElement>(null);
  const focused = useSignal<string | undefined>(undefined);
  const openId = client.open.value?.id;
  const sessions = client.lists.sessions.value.filter((item) => !item.blank || item.running || item.sessionId === openId);
  if (sessions.length === 0) return <p class="sidebar-note">{t("empty")}</p>;

  const has = (id: string | undefined) => sessions.some((item) => item.sessionId === id);
  const stop = has(focused.value) ? focused.value : has(openId) ? openId : sessions[0]?.sessionId;

  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(tree.current?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    items[Math.max(0, Math.min(items.length - 1, target))]?.focus();
  };

  return (
    <div class="tree" role="tree" aria-label={t("sessions")} ref={tree} onKeyDown={onKeyDown}>
      {sessions.map((item) => (
        <Item
          key={item.sessionId}
          item={item}
          selected={item.sessionId === openId}
          tabStop={item.sessionId === stop}
          onFocus={() => (focused.value = item.sessionId)}
        />
      ))}
    </div>
  );
}

interface ItemProps {
  readonly item: SessionSummary;
  readonly selected: boolean;
  readonly tabStop: boolean;
  readonly onFocus: () => void;
}

function Item({ item, selected, tabStop, onFocus }: ItemProps) {
  const client = useClient();
  const running = item.running || (selected && client.running.value);
  const waiting = client.waiting.value.has(item.sessionId);
  const title = item.title || (item.problem ? t("unreadable") : t("untitled"));
  const time = relativeTime(item.updatedAt, now.value, locale.value);
  return (
    <a
      class="tree-item"
      role="treeitem"
      href={sessionPath(item.sessionId)}
      aria-label={t("item", { title, time })}
      aria-selected={selected}
      tabIndex={tabStop ? 0 : -1}
      title={item.problem}
      data-session-id={item.sessionId}
      onFocus={onFocus}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        openSession(item.sessionId);
      }}
    >
      {item.problem && <Icon name="triangle-alert" />}
      <span class="tree-title">{title}</span>
      {waiting ? <span class="tree-running" data-waiting="true" role="img" aria-label={t("waiting")} /> : running ? <span class="tree-running" role="img" aria-label={t("running")} /> : null}
      <span class="tree-time">{time}</span>
    </a>
  );
}
