import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button, isComposing } from "keylane";
import { t } from "./messages";

interface NewFolderProps {
  /** Name of the folder in which it is made. */
  readonly parent: string;
  /** Id of the text that says why it was not made. */
  readonly problem: string | undefined;
  readonly forgive: () => void;
  readonly create: (name: string) => Promise<void>;
  readonly leave: () => void;
}

/** Names and makes a folder. Enter makes it, Escape leaves. */
export function NewFolder({ parent, problem, forgive, create, leave }: NewFolderProps) {
  const field = useRef<HTMLInputElement>(null);
  const name = useSignal("");
  const busy = useSignal(false);
  useLayoutEffect(() => field.current?.focus(), []);
  const run = async () => {
    if (name.value.trim() === "" || busy.value) return;
    busy.value = true;
    try {
      await create(name.value.trim());
    } finally {
      busy.value = false;
    }
  };
  return (
    <div class="folders-new" role="group" aria-label={t("newFolderIn", { name: parent })}>
      <input
        ref={field}
        class="folders-field"
        aria-label={t("folderName")}
        placeholder={t("folderName")}
        aria-invalid={problem !== undefined}
        aria-describedby={problem}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={name.value}
        onInput={(event) => {
          name.value = event.currentTarget.value;
          forgive();
        }}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "Enter") void run();
          else if (event.key === "Escape") leave();
          else return;
          event.preventDefault(); // Escape would close the dialog
          event.stopPropagation();
        }}
      />
      <Button look="quiet" onClick={leave}>{t("leaveNew")}</Button>
      <Button disabled={name.value.trim() === "" || busy.value} onClick={() => void run()}>{t("create")}</Button>
    </div>
  );
}
