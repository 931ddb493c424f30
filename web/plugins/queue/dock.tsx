// The messages that wait for a turn of their own.

import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Icon, IconButton, RowDrag, RpcError, useClient, type OpenSession, type QueueAction } from "keylane";
import { Editor, type Edit } from "./editor";
import { t } from "./messages";
import { QueueRow } from "./row";

export function QueueDock({ session }: { session: OpenSession }) {
  const client = useClient();
  const root = useRef<HTMLElement>(null);
  const list = useId();
  const open = useSignal(false);
  const edit = useSignal<Edit | undefined>(undefined);
  const failure = useSignal<RpcError | undefined>(undefined);
  /** Whose edit button gets the focus back. */
  const back = useRef<string | undefined>(undefined);
  /** The button that moved a message, which keeps the focus while its row goes elsewhere. */
  const moved = useRef<{ itemId: string; from: number; by: -1 | 1 } | undefined>(undefined);
  const told = useSignal("");
  const drag = useMemo(() => new RowDrag(), []);
  const items = session.queued.value;
  const editing = edit.value;
  const running = client.running.value;

  useLayoutEffect(() => {
    if (editing || back.current === undefined) return;
    root.current?.querySelector<HTMLElement>(`[data-queue-item="${CSS.escape(back.current)}"] [data-edit]`)?.focus({ preventScroll: true });
    back.current = undefined;
  }, [editing]);

  useLayoutEffect(() => {
    const last = moved.current;
    if (!last || items[last.from]?.itemId === last.itemId) return;
    moved.current = undefined;
    const row = root.current?.querySelector(`[data-queue-item="${CSS.escape(last.itemId)}"]`);
    if (!row) return;
    row.scrollIntoView({ block: "nearest" });
    row.querySelector<HTMLElement>(`[data-move="${last.by}"]:not(:disabled), [data-move]:not(:disabled)`)?.focus({ preventScroll: true });
  }, [items]);

  if (items.length === 0 && !editing) return null;

  const change = async (itemId: string, action: QueueAction): Promise<boolean> => {
    failure.value = undefined;
    told.value = "";
    try {
      return await client.updateQueue(itemId, action);
    } catch (error) {
      failure.value = error instanceof RpcError ? error : new RpcError("internal", String(error));
      return true; // it may still be done
    }
  };
  const remove = async (itemId: string) => {
    await change(itemId, { kind: "remove" });
    // The button is gone, and with it the focus.
    if (document.activeElement === document.body) root.current?.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  };
  /** Puts a message in front of the one at a position, or at the end. */
  const moveTo = async (itemId: string, to: number, by?: -1 | 1) => {
    const from = items.findIndex((item) => item.itemId === itemId);
    const beforeId = items[to]?.itemId;
    if (from < 0 || to === from || to === from + 1) return;
    moved.current = by && { itemId, from, by };
    const place = to > from ? to : to + 1;
    if (await change(itemId, { kind: "move", ...(beforeId === undefined ? {} : { beforeId }) })) told.value = failure.value ? "" : t("moved", { place, n: items.length });
  };
  const moveBy = (itemId: string, by: -1 | 1) => {
    const from = items.findIndex((item) => item.itemId === itemId);
    void moveTo(itemId, by < 0 ? from - 1 : from + 2, by);
  };
  const rows = () => [...(root.current?.querySelectorAll("[data-queue-item]") ?? [])];
  const dragged = drag.current.value;
  const dragOf = (itemId: string | undefined, index: number) => {
    if (dragged?.to === undefined) return undefined;
    if (itemId === dragged.itemId) return "source" as const;
    return index === dragged.to ? ("before" as const) : index === items.length - 1 && dragged.to === items.length ? ("after" as const) : undefined;
  };
  const drop = () => {
    const itemId = drag.current.value?.itemId;
    const to = drag.end();
    if (itemId !== undefined && to !== undefined) void moveTo(itemId, to);
  };
  const close = () => {
    back.current = editing?.itemId;
    edit.value = undefined;
  };
  const save = async (text: string) => {
    if (!editing) return;
    const taken = !(await change(editing.itemId, { kind: "edit", content: [{ type: "text", text }] }));
    if (taken) edit.value = { ...editing, text, taken };
    else if (failure.value === undefined) close();
  };

  const collapsible = items.length > 1;
  const shown = !collapsible || open.value || editing !== undefined;
  const present = editing !== undefined && items.some((item) => item.itemId === editing.itemId);
  const editor = editing && <Editor edit={editing.taken || present ? editing : { ...editing, taken: true }} save={save} close={close} />;
  return (
    <section class="queue" aria-label={t("queue")} ref={root} data-queue-dock>
      {collapsible && (
        <button type="button" class="queue-button" aria-expanded={shown} aria-controls={shown ? list : undefined} onClick={() => (open.value = !open.value)}>
          <span class="queue-icon"><Icon name="list-end" /></span>
          <span class="queue-count">{t("count", { n: items.length })}</span>
          <span class="queue-chevron" data-open={shown}><Icon name="chevron-right" /></span>
        </button>
      )}
      {shown && (
        <ol
          id={list}
          class="queue-list"
          data-movable={collapsible}
          onPointerMove={(event) => drag.move(event, rows())}
          onPointerUp={drop}
          onPointerCancel={() => drag.end()}
          onKeyDown={(event) => event.key === "Escape" && drag.end()}
        >
          {items.map((item, index) => item.itemId !== undefined && item.itemId === editing?.itemId
            ? <li key={item.rpcId} class="queue-item" data-queue-item={item.itemId}>{editor}</li>
            : (
              <QueueRow
                key={item.rpcId}
                item={item}
                numbered={collapsible}
                steerable={running}
                up={index > 0}
                down={items[index + 1]?.itemId !== undefined}
                drag={dragOf(item.itemId, index)}
                move={moveBy}
                press={(event, itemId) => drag.start(event, itemId)}
                edit={(itemId) => (edit.value = { itemId, text: item.text, taken: false })}
                remove={(itemId) => void remove(itemId)}
                steer={(itemId) => void change(itemId, { kind: "steer" })}
              />
            ))}
          {editor && !present && <li class="queue-item">{editor}</li>}
        </ol>
      )}
      {told.value && <p class="visually-hidden" role="status">{told.value}</p>}
      {failure.value && (
        <div class="queue-note" role="alert">
          <p>{t("failed")} {failure.value.message} <code>{failure.value.code}</code></p>
          <IconButton icon="x" label={t("dismiss")} onClick={() => (failure.value = undefined)} />
        </div>
      )}
      {!running && items.length > 0 && <p class="queue-note">{t("parked")}</p>}
    </section>
  );
}
