import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { useClient, type Row, type TextRow } from "keylane";
import { endings, t } from "./messages";

/** How much of an answer is read out by itself; the rest is there to be read. */
const told = 600;

/**
 * Says to screen readers how a turn of the open session ended, once: what was answered, or that it was stopped. The transcript itself is silent,
 * because hundreds of pieces in a second would drown everything; a failure is told by its own row, and the composer says that work goes on.
 */
export function Announcer() {
  const open = useClient().open.value;
  const words = useSignal("");
  const heard = useRef<Heard | undefined>(undefined);
  const transcript = open?.load.value.kind === "ready" ? open.transcript.value : undefined;
  useLayoutEffect(() => {
    const next = hear(heard.current, open && transcript ? { id: open.id, made: open.made, turnOpen: transcript.turnOpen, rows: transcript.rows } : undefined);
    heard.current = next.heard;
    if (next.words !== undefined) words.value = next.words;
  }, [open, transcript]);
  return <p class="visually-hidden" role="status">{words.value}</p>;
}

/** Of which session the end of which turn was told last, by the row that began the turn; "" before any. */
export interface Heard {
  readonly id: string;
  readonly turn: string;
}

/** What there is to see of the open session once it is loaded. */
export interface Seen {
  readonly id: string;
  readonly made: boolean;
  readonly turnOpen: boolean;
  readonly rows: readonly Row[];
}

/**
 * What is told now: `words` to say, "" to fall silent, undefined to leave what was said. A turn is told by what it is and not by having been seen
 * running: its frames may all come before the page has drawn any. What was over when a session was opened is not told.
 */
export function hear(before: Heard | undefined, seen: Seen | undefined): { readonly heard: Heard | undefined; readonly words: string | undefined } {
  if (!seen) return { heard: undefined, words: "" };
  const turn = seen.rows.findLast((row) => row.kind === "user")?.key ?? "";
  const heard = before?.id === seen.id ? before : { id: seen.id, turn: seen.made || seen.turnOpen ? "" : turn };
  if (seen.turnOpen) return { heard, words: "" };
  if (turn !== heard.turn) return { heard: { id: seen.id, turn }, words: outcome(seen.rows) };
  return { heard, words: heard === before ? undefined : "" };
}

/** How the last turn ended, in words; "" when a row has said it. */
export function outcome(rows: readonly Row[]): string {
  const turn = rows.slice(rows.findLastIndex((row) => row.kind === "user") + 1);
  if (turn.some((row) => row.kind === "failure")) return "";
  const ending = turn.findLast((row) => row.kind === "ending");
  if (ending && ending.ending !== "max-tokens") return t(endings[ending.ending]);
  const answer = turn.findLast((row): row is TextRow => row.kind === "text");
  return [answer && t("saidLast", { text: beginning(plain(answer.text)) }), ending && t(endings[ending.ending])].filter(Boolean).join(" ");
}

/** Markdown without its signs, which nobody wants to hear. */
export function plain(text: string): string {
  return text.replaceAll(/\*\*|__|~~|`|^(#+|>|[-*]) /gm, "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/\s+/g, " ").trim();
}

function beginning(text: string): string {
  if (text.length <= told) return text;
  const end = text.lastIndexOf(" ", told);
  return `${text.slice(0, end > told / 2 ? end : told)}…`;
}
