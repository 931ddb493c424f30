import { useEffect, useRef } from "preact/hooks";
import { busyEnter, IconButton, shortcutsAsked } from "keylane";
import { t } from "./messages";

/** True where a key press is text, not a shortcut. */
function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** The list of shortcuts: opened by `?` or its button, closed by Escape; focus returns to where it came from. */
export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || typing(event.target)) return;
      event.preventDefault();
      dialog.current?.showModal();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const asked = shortcutsAsked.value;
  useEffect(() => {
    if (asked > 0 && !dialog.current?.open) dialog.current?.showModal();
  }, [asked]);
  const queues = busyEnter.value.value === "queue";
  const alone = [t("keyEnter")];
  const held = [t("keyControl"), t("keyEnter")];
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [t("shortcutSend"), [t("keyEnter")]],
    [t("shortcutNewline"), [t("keyShift"), t("keyEnter")]],
    [t("shortcutQueue"), queues ? alone : held],
    [t("shortcutSteer"), queues ? held : alone],
    [t("shortcutCommands"), ["/"]],
    [t("shortcutFiles"), ["@"]],
    [t("shortcutRecall"), ["↑", "↓"]],
    [t("shortcutReorder"), [t("keyAlt"), "↑", "↓"]],
    [t("shortcutSearch"), [t("keyControl"), "K"]],
    [t("shortcutMove"), ["↑", "↓", "Home", "End"]],
    [t("shortcutFold"), ["←", "→"]],
    [t("shortcutOpen"), [t("keyEnter")]],
    [t("shortcutActions"), [t("keyShift"), "F10"]],
    [t("shortcutClose"), [t("keyEscape")]],
    [t("shortcutHelp"), ["?"]],
  ];
  return (
    <>
      <IconButton icon="keyboard" label={t("shortcuts")} aria-haspopup="dialog" onClick={() => dialog.current?.showModal()} />
      <dialog ref={dialog} class="dialog" aria-labelledby="shortcuts-title" onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
        <div class="dialog-body">
          <header class="dialog-head">
            <h2 id="shortcuts-title">{t("shortcuts")}</h2>
            <IconButton icon="x" label={t("close")} onClick={() => dialog.current?.close()} />
          </header>
          <dl class="shortcuts">
            {rows.map(([what, keys]) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dd>
              </div>
            ))}
          </dl>
        </div>
      </dialog>
    </>
  );
}
