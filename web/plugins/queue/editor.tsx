import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button, isComposing, isSubmit } from "keylane";
import { t } from "./messages";

/** A message that is being edited. */
export interface Edit {
  readonly itemId: string;
  readonly text: string;
  /** It has left the queue meanwhile: what was written stays to be copied, and cannot be saved. */
  readonly taken: boolean;
}

export function Editor({ edit, save, close }: { edit: Edit; save: (text: string) => Promise<void>; close: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(edit.text);
  const saving = useSignal(false);
  const unusable = edit.taken || saving.value || text.value.trim() === "";

  useLayoutEffect(() => {
    const end = field.current?.value.length ?? 0;
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(end, end);
    field.current?.scrollIntoView({ block: "nearest" });
  }, []);

  const submit = async () => {
    if (unusable) return;
    saving.value = true;
    await save(text.value);
    saving.value = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (isSubmit(event)) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <div class="queue-editor">
      <textarea ref={field} rows={1} aria-label={t("editing")} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} onKeyDown={onKeyDown} />
      {edit.taken && <p role="status">{t("taken")}</p>}
      <div class="queue-editor-foot">
        <Button onClick={close}>{t("cancel")}</Button>
        <Button look="primary" disabled={unusable} onClick={() => void submit()}>{t("save")}</Button>
      </div>
    </div>
  );
}
