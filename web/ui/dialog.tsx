import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  /** `alertdialog` for a question before something is lost. */
  readonly role?: "dialog" | "alertdialog";
  /** Room for a list beside what is chosen in it. */
  readonly wide?: boolean;
  /** Beside the title. */
  readonly aside?: ComponentChildren;
  /** It was closed, by Escape or by a press beside it. Whoever shows it takes it away, and gives the focus back. */
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A dialog above everything else, open as long as it is rendered. What has `autofocus` gets the focus. */
export function Dialog({ title, role = "dialog", wide = false, aside, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog dialog-wide" : "dialog"}
      role={role === "dialog" ? undefined : role}
      aria-labelledby={heading}
      onClick={(event) => event.target === dialog.current && close()}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head"><h2 id={heading}>{title}</h2>{aside}</div>
        {children}
      </div>
    </dialog>
  );
}
