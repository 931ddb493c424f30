// The dock above the composer with the messages that wait for a turn of their own.

import "./queue.css";
import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon, IconButton, RpcError, useClient, type OpenSession, type PluginScope, type QueueAction } from "keylane";
import { Editor, type Edit } from "./editor";
import { t } from "./messages";
import { QueueRow } from "./row";

export function activate(scope: PluginScope): void {
  scope.fill("dock", Queue, -3);
}

function Queue() {
  const session = useClient().open.value;
  return session ? <QueueDock key={session.id} session={session} /> : null;
}

function QueueDock({ session }: { session: OpenSession }) {
  const client = useClient();
  const root = useRef<HTMLElement>(null);
  const list = useId();
  const open = useSignal(false);
  const edit = useSignal<Edit | undefined>(undefined);
  const failure = useSignal<RpcError | undefined>(undefined);
  /** Whose edit button gets the focus back. */
  const back = useRef<string | undefined>(undefined);
  const items = session.queued.value;
  const editing = edit.value;
  const running = client.running.value;

  useLayoutEffect(() => {
    if (editing || back.current === undefined) return;
    root.current?.querySelector<HTMLElement>(`[data-queue-item="${CSS.escape(back.current)}"] button`)?.focus({ preventScroll: true });
    back.current = undefined;
  }, [editing]);

  if (items.length === 0 && !editing) return null;

  const change = async (itemId: string, action: QueueAction): Promise<boolean> => {
    failure.value = undefined;
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
        <ol id={list} class="queue-list">
          {items.map((item) => item.itemId !== undefined && item.itemId === editing?.itemId
            ? <li key={item.rpcId} class="queue-item" data-queue-item={item.itemId}>{editor}</li>
            : (
              <QueueRow
                key={item.rpcId}
                item={item}
                numbered={collapsible}
                steerable={running}
                edit={(itemId) => (edit.value = { itemId, text: item.text, taken: false })}
                remove={(itemId) => void remove(itemId)}
                steer={(itemId) => void change(itemId, { kind: "steer" })}
              />
            ))}
          {editor && !present && <li class="queue-item">{editor}</li>}
        </ol>
      )}
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
