import { useId } from "preact/hooks";
import { Icon, IconButton, type PendingPrompt } from "keylane";
import { t } from "./messages";

interface QueueRowProps {
  readonly item: PendingPrompt;
  /** It is one of several, in an order. */
  readonly numbered: boolean;
  /** A turn runs that it could join. */
  readonly steerable: boolean;
  edit(itemId: string): void;
  remove(itemId: string): void;
  steer(itemId: string): void;
}

/** A message that waits: one line, and what can be done to it once the host has it. */
export function QueueRow({ item, numbered, steerable, edit, remove, steer }: QueueRowProps) {
  const words = useId();
  const { itemId } = item;
  return (
    <li class="queue-item" data-queue-item={itemId}>
      {!numbered && <span class="queue-icon"><Icon name="list-end" /></span>}
      <span id={words} class="queue-text" data-numbered={numbered}>{item.text}</span>
      {itemId === undefined ? (
        <span class="queue-sending">{t("sending")}</span>
      ) : (
        <span class="queue-actions">
          <IconButton icon="pencil" label={t("edit")} title={t("edit")} aria-describedby={words} onClick={() => edit(itemId)} />
          <IconButton icon="corner-down-right" label={t("steer")} title={t("steerHint")} aria-describedby={words} disabled={!steerable} onClick={() => steer(itemId)} />
          <IconButton icon="x" label={t("remove")} title={t("remove")} aria-describedby={words} onClick={() => remove(itemId)} />
        </span>
      )}
    </li>
  );
}
