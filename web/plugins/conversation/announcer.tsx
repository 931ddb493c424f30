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
  const transcript = open?.transcript.value;
  const before = useRef<{ readonly id: string; readonly turnOpen: boolean } | undefined>(undefined);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = open && transcript ? { id: open.id, turnOpen: transcript.turnOpen } : undefined;
    if (last?.id !== open?.id || transcript?.turnOpen) words.value = "";
    else if (last?.turnOpen && transcript) words.value = outcome(transcript.rows);
  }, [open, transcript]);
  return <p class="visually-hidden" role="status">{words.value}</p>;
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
