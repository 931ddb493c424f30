import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Button, locale } from "keylane";
import { t } from "./messages";
import type { TrajectoryRecord } from "./record";
import type { Viewing } from "./viewing";
import { leadOf, lineOf, span, timesOf, titleOf } from "./words";
import { pieces } from "./window";

/** Height of a row in pixels; the style sheet has the same number. */
const rowHeight = 36;
/** This close to the beginning of what is held the page before is fetched, in rows: early enough to be there when the reader is. */
const ahead = 20;
/** This close to the end counts as being there, in pixels. */
const threshold = 24;

/** The records as a table of which only the part on screen is in the document. */
export function RecordTable({ viewing }: { viewing: Viewing }) {
  const rows = viewing.rows.value;
  const selected = viewing.selected.value;
  const port = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const state = useRef({ atEnd: true, first: rows[0]?.seq, head: 0, focusRow: false, at: 0 });
  const more = viewing.log.hasMore.value;
  const at = rows.findIndex((record) => record.seq === selected);

  const scrollTo = (place: number) => {
    if (!port.current) return;
    port.current.scrollTop = place;
    top.value = port.current.scrollTop;
    state.current.at = top.value;
  };
  const headHeight = () => head.current?.offsetHeight ?? 0;

  useLayoutEffect(() => {
    const view = port.current;
    if (!view) return;
    const measure = () => {
      height.value = view.clientHeight;
      if (state.current.atEnd) scrollTo(view.scrollHeight);
    };
    state.current.head = headHeight();
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(view);
    return () => observer.disconnect();
  }, []);

  // Rows that come in front must not move what is on screen; rows behind are followed from the end only.
  useLayoutEffect(() => {
    const { first, head, atEnd } = state.current;
    state.current.first = rows[0]?.seq;
    state.current.head = headHeight();
    const before = first === undefined ? 0 : Math.max(0, rows.findIndex((record) => record.seq === first));
    const grown = before * rowHeight + state.current.head - head;
    if (grown !== 0) scrollTo((port.current?.scrollTop ?? 0) + grown);
    else if (atEnd) scrollTo(port.current?.scrollHeight ?? 0);
  }, [rows, more]);

  useLayoutEffect(() => {
    viewing.reveal = (seq) => {
      const view = port.current;
      const place = viewing.rows.peek().findIndex((record) => record.seq === seq);
      if (!view || place < 0) return;
      const from = headHeight() + place * rowHeight;
      if (from < view.scrollTop || from + rowHeight > view.scrollTop + view.clientHeight) scrollTo(from - (view.clientHeight - rowHeight) / 2);
      state.current.atEnd = view.scrollHeight - view.clientHeight - view.scrollTop <= threshold;
    };
    if (viewing.selected.peek() !== undefined) viewing.reveal(viewing.selected.peek()!);
    viewing.focusRow = () => port.current?.querySelector<HTMLElement>("[data-current] .record-button")?.focus({ preventScroll: true });
    return () => {
      viewing.focusRow = () => {};
      viewing.reveal = () => {};
    };
  }, [viewing]);

  // A key has chosen another row: the focus goes with it, once it is in the document.
  useEffect(() => {
    if (!state.current.focusRow) return;
    state.current.focusRow = false;
    viewing.focusRow();
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || !event.target.closest("tr[data-record]")) return;
    const page = Math.max(1, Math.floor(height.value / rowHeight) - 1);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 }[event.key];
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = rows[Math.max(0, Math.min(rows.length - 1, target))];
    if (!next || next.seq === selected) return;
    state.current.focusRow = true;
    viewing.select(next.seq);
  };

  const shown = pieces(rows.length, Math.max(0, top.value - headHeight()), height.value, rowHeight, at);
  const end = shown.at(-1)?.to ?? 0;
  const stop = at >= 0 ? rows[at]!.seq : rows[0]?.seq;
  const matches = new Set(viewing.matches.value);
  return (
    <div
      class="records"
      ref={port}
      onKeyDown={onKeyDown}
      onScroll={() => {
        const view = port.current!;
        top.value = view.scrollTop;
        const upwards = view.scrollTop < state.current.at;
        state.current.at = view.scrollTop;
        state.current.atEnd = view.scrollHeight - view.clientHeight - view.scrollTop <= threshold;
        // Only a reader who goes there asks; after a failure the button does.
        if (upwards && view.scrollTop < ahead * rowHeight && more && !viewing.log.failed.peek()) void viewing.log.loadOlder();
      }}
    >
      <div ref={head}><Earlier viewing={viewing} /></div>
      <table class="record-table" aria-label={t("records")} aria-rowcount={rows.length + 1}>
        <colgroup>
          <col class="column-record" />
          <col />
          <col class="column-tokens" />
          <col class="column-time" />
        </colgroup>
        <thead class="visually-hidden">
          <tr aria-rowindex={1}>
            <th scope="col">{t("columnRecord")}</th>
            <th scope="col">{t("columnContent")}</th>
            <th scope="col">{t("columnTokens")}</th>
            <th scope="col">{t("columnTime")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.flatMap((piece) => [
            piece.skipped > 0 && <Gap key={`gap-${piece.from}`} rows={piece.skipped} />,
            ...rows.slice(piece.from, piece.to).map((record, index) => (
              <RecordRow key={record.seq} viewing={viewing} record={record} place={piece.from + index} tabStop={record.seq === stop} match={matches.has(record.seq)} />
            )),
          ])}
          {end < rows.length && <Gap key="gap-end" rows={rows.length - end} />}
        </tbody>
      </table>
      {viewing.log.session.damage.value && <p class="records-damaged">{t("damaged")}</p>}
    </div>
  );
}

function Gap({ rows }: { rows: number }) {
  return <tr class="record-gap" aria-hidden="true" style={{ height: `${rows * rowHeight}px` }} />;
}

function Earlier({ viewing }: { viewing: Viewing }) {
  const log = viewing.log;
  if (!log.hasMore.value) return null;
  const loading = log.loading.value;
  return (
    <div class="records-earlier">
      <Button disabled={loading} onClick={() => void log.loadOlder()}>{loading ? t("loadingOlder") : t("loadOlder")}</Button>
      <Button disabled={loading} onClick={() => void log.reach(0)}>{t("loadAll")}</Button>
      {log.failed.value && <span role="status">{t("loadFailed")}</span>}
    </div>
  );
}

interface RowProps {
  readonly viewing: Viewing;
  readonly record: TrajectoryRecord;
  readonly place: number;
  readonly tabStop: boolean;
  readonly match: boolean;
}

function RecordRow({ viewing, record, place, tabStop, match }: RowProps) {
  const current = record.seq === viewing.selected.value;
  const title = titleOf(record, viewing.numbers.value);
  const lead = leadOf(record);
  const line = lineOf(record);
  const times = timesOf(record);
  const hidden = viewing.collapsed.value ? viewing.log.records.value.filter((each) => each.turn === record.turn).length : 0;
  const tokens = record.usage ? record.usage.outputTokens : undefined;
  return (
    <tr
      class="record"
      data-record={record.seq}
      data-kind={record.kind}
      data-state={record.state}
      data-turn-start={record.turnStart ? "true" : undefined}
      data-timeline-focus={viewing.outside(record) ? "outside" : undefined}
      data-search-match={match ? "true" : undefined}
      data-current={current ? "" : undefined}
      aria-current={current ? "true" : undefined}
      aria-rowindex={place + 2}
      onClick={() => viewing.inspect(record.seq)}
    >
      <th scope="row" class="record-head">
        <span class="record-turn" aria-hidden="true">{record.turnStart ? record.turn : ""}</span>
        <button
          type="button"
          class="record-button"
          tabIndex={tabStop ? 0 : -1}
          aria-expanded={current && viewing.inspecting.value}
          onFocus={() => (viewing.selected.value = record.seq)}
        >
          <span>{title}</span>
        </button>
      </th>
      <td class="record-content">
        {lead && <span class="record-lead">{lead}</span>} <span class="record-line">{line}</span>
        {hidden > 0 && <span class="record-note"> {t("collapsedRecords", { n: hidden })}</span>}
      </td>
      <td class="record-number">{tokens === undefined ? "" : tokens.toLocaleString(locale.value)}</td>
      <td class="record-number">
        {record.state === "done" ? times && record.kind !== "retry" && span(times.total) : <span class="record-state" data-state={record.state}>{t(record.state)}</span>}
      </td>
    </tr>
  );
}
