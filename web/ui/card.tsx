import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { CopyButton } from "./copy";
import { t } from "./messages";

/** Lines shown before "show all", when a card doesn't say. */
const usualLines = 16;

interface Capped {
  /** How many lines to show. */
  readonly count: number;
  /** The button that shows or hides the rest, when there is a rest. */
  readonly more: ComponentChildren;
}

/** Decides how many of a card's lines are shown; half as many more are shown rather than hidden for so little. */
export function useCapped(lines: number, shown = usualLines): Capped {
  const all = useSignal(false);
  const long = lines > shown * 1.5;
  return {
    count: long && !all.value ? shown : lines,
    more: long && (
      <button type="button" class="card-more" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
        {all.value ? t("showLess") : t("showAll", { n: lines - shown })}
      </button>
    ),
  };
}

/** Text of a call that no card is made for. */
export function Card({ label, text }: { label: string; text: string }) {
  return (
    <div class="card" role="group" aria-label={label}>
      <p class="card-label">{label}</p>
      <CappedText text={text} />
    </div>
  );
}

/** A card about a file: its path, a note, a copy button, and what it holds. */
export function FileCard({ label, path, note, copy, children }: { label: string; path: string; note: string; copy: { label: string; text: () => string } | undefined; children: ComponentChildren }) {
  return (
    <div class="card" role="group" aria-label={label}>
      <div class="card-head">
        <p class="card-path"><code>{path}</code> {note && <span class="card-note">{note}</span>}</p>
        {copy && <CopyButton label={copy.label} copied={t("copied")} failed={t("copyFailed")} text={copy.text} />}
      </div>
      {children}
    </div>
  );
}

export function CappedText({ text }: { text: string }) {
  const lines = text.split("\n");
  const { count, more } = useCapped(lines.length);
  return (
    <>
      <pre class="card-output"><code>{lines.slice(0, count).join("\n")}</code></pre>
      {more}
    </>
  );
}
