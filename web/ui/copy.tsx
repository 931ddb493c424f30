import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "./icon";

/** The clipboard's own interface where the page may use it, else (no TLS, no permission) the selection. */
async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    if (!copySelection(text)) throw error;
  }
}

function copySelection(text: string): boolean {
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}

interface CopyButtonProps {
  readonly label: string;
  /** Replaces the label for a moment after a copy. */
  readonly copied: string;
  readonly failed: string;
  /** Called when pressed, so that large text isn't built for nothing. */
  readonly text: () => string;
}

/** Copies text and says so, in its own name and icon. */
export function CopyButton({ label, copied, failed, text }: CopyButtonProps) {
  const outcome = useSignal<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (outcome.value === "idle") return;
    const timer = setTimeout(() => (outcome.value = "idle"), 2000);
    return () => clearTimeout(timer);
  }, [outcome.value]);
  const name = outcome.value === "copied" ? copied : outcome.value === "failed" ? failed : label;
  return (
    <button
      type="button"
      class="icon-button icon-button-plain"
      aria-label={name}
      onClick={async () => {
        try {
          await writeClipboard(text());
          outcome.value = "copied";
        } catch {
          outcome.value = "failed";
        }
      }}
    >
      <Icon name={outcome.value === "copied" ? "check" : outcome.value === "failed" ? "triangle-alert" : "copy"} />
    </button>
  );
}
