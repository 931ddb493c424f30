import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useSignal, type Signal } from "@preact/signals";
import { Icon, type IconName } from "./icon";

interface DisclosureProps {
  readonly icon: IconName;
  /** Accessible name of the button. */
  readonly label: string;
  /** What the button shows: the verb, and the object it acts on. */
  readonly verb: string;
  readonly object?: string;
  /** Shown beside the button, only while closed. */
  readonly preview?: string;
  /** Shown at the end of the line: state and time. */
  readonly aside?: ComponentChildren;
  /** Whether it is open, for an owner who remembers that; else it begins closed. */
  readonly open?: Signal<boolean> | undefined;
  readonly children: () => ComponentChildren;
}

/**
 * One line that opens. The content below it exists only while it is open; what
 * stands above never moves.
 */
export function Disclosure({ icon, label, verb, object, preview, aside, open: owned, children }: DisclosureProps) {
  const own = useSignal(false);
  const open = owned ?? own;
  const id = useId();
  return (
    <div class="disclosure">
      <div class="disclosure-line">
        <button
          type="button"
          class="disclosure-button"
          aria-label={label}
          aria-expanded={open.value}
          aria-controls={open.value ? id : undefined}
          onClick={() => (open.value = !open.value)}
        >
          <span class="disclosure-icon"><Icon name={icon} /></span>
          <span class="disclosure-verb">{verb}</span>{" "}
          {object && <span class="disclosure-object">{object}</span>}
        </button>
        {preview && !open.value && <span class="disclosure-preview">{preview}</span>}
        <span class="disclosure-aside">{aside}</span>
        <span class="disclosure-chevron" data-open={open.value}><Icon name="chevron-right" /></span>
      </div>
      {open.value && <div id={id} class="disclosure-content">{children()}</div>}
    </div>
  );
}
