import { useId } from "preact/hooks";
import { Icon, IconButton, type PendingPrompt } from "keylane";
import { t } from "./messages";

interface QueueRowProps {
  readonly item: PendingPrompt;
  /** It is one of several, in an order. */
  readonly numbered: boolean;
  /** A turn runs that it could join. */
  readonly steerable: boolean;
  /** Which ways it can go. */
  readonly up: boolean;
  readonly down: boolean;
  /** It is being dragged, or another one would land in front of it or behind it. */
  readonly drag: "source" | "before" | "after" | undefined;
  edit(itemId: string): void;
  remove(itemId: string): void;
  steer(itemId: string): void;
  /** One place towards the front (-1) or the end (1). */
  move(itemId: string, by: -1 | 1): void;
  press(event: PointerEvent, itemId: string): void;
}

/** A message that waits: one line, and what can be done to it once the host has it. */
export function QueueRow({ item, numbered, steerable, up, down, drag, edit, remove, steer, move, press }: QueueRowProps) {
  const words = useId();
  const { itemId } = item;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    if (!event.altKey || event.ctrlKey || event.metaKey || by === undefined || itemId === undefined) return;
    event.preventDefault();
    if (by === -1 ? up : down) move(itemId, by);
  };
  return (
    <li
      class="queue-item"
      data-queue-item={itemId}
      data-drag={drag}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => itemId !== undefined && numbered && press(event, itemId)}
    >
      {!numbered && <span class="queue-icon"><Icon name="list-end" /></span>}
      <span id={words} class="queue-text" data-numbered={numbered}>{item.text.slice(0, shownCharacters)}</span>
      {itemId === undefined ? (
        <span class="queue-sending">{t("sending")}</span>
      ) : (
        <span class="queue-actions">
          {numbered && <IconButton icon="arrow-up" label={t("up")} title={t("upHint")} aria-describedby={words} disabled={!up} data-move="-1" onClick={() => move(itemId, -1)} />}
          {numbered && <IconButton icon="arrow-down" label={t("down")} title={t("downHint")} aria-describedby={words} disabled={!down} data-move="1" onClick={() => move(itemId, 1)} />}
          <IconButton icon="pencil" label={t("edit")} title={t("edit")} aria-describedby={words} data-edit onClick={() => edit(itemId)} />
          <IconButton icon="corner-down-right" label={t("steer")} title={t("steerHint")} aria-describedby={words} disabled={!steerable} onClick={() => steer(itemId)} />
          <IconButton icon="x" label={t("remove")} title={t("remove")} aria-describedby={words} onClick={() => remove(itemId)} />
        </span>
      )}
    </li>
  );
}

/** A row is one line: more of a very long message would only cost time. */
const shownCharacters = 500;
