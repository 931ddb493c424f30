import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { t } from "./messages";
import { barAt, inside, touched, zoom, type Bar, type Range } from "./scale";
import type { Viewing } from "./viewing";
import { timing, titleOf } from "./words";

const laneHeight = 14;
const barHeight = 10;
const plotHeight = 3 * laneHeight;
/** A press that moves no further is a click, in pixels. */
const still = 3;

/** All records on one line in three lanes; a drag points out a part of it, the wheel zooms, a drag with the right button moves what is zoomed. */
export function Timeline({ viewing }: { viewing: Viewing }) {
  const plot = useRef<HTMLDivElement>(null);
  const help = useId();
  const width = useSignal(1000);
  const hovered = useSignal<Bar | undefined>(undefined);
  /** A pan by the right button: where it began, and the part that was drawn then. */
  const pan = useRef<{ readonly x: number; readonly range: Range; readonly zoomed: boolean; moved: boolean } | undefined>(undefined);
  const drag = useSignal<{ readonly from: number; readonly to: number } | undefined>(undefined);
  const keyed = useSignal(false);
  const bars = viewing.bars.value;
  const whole = viewing.whole.value;
  const shown = viewing.zoomed.value ?? whole;
  const focus = viewing.focus.value;
  const records = viewing.log.records.value;
  const selected = bars.find((bar) => bar.record.seq === viewing.selected.value);

  const toX = (position: number) => ((position - shown.from) / (shown.to - shown.from)) * width.value;
  const toPosition = (x: number) => shown.from + (x / width.value) * (shown.to - shown.from);
  const place = (event: MouseEvent) => {
    const box = plot.current!.getBoundingClientRect();
    return { x: Math.max(0, Math.min(box.width, event.clientX - box.left)), lane: Math.max(0, Math.min(2, Math.floor((event.clientY - box.top) / laneHeight))) };
  };

  useLayoutEffect(() => {
    const element = plot.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (width.value = Math.max(1, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The wheel zooms, and scrolling sideways moves. Not a property: it must be able to keep the page from scrolling.
  useEffect(() => {
    const element = plot.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const range = viewing.zoomed.peek() ?? viewing.whole.peek();
      const box = element.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      const length = range.to - range.from;
      const aside = event.shiftKey ? event.deltaY : event.deltaX;
      if (aside !== 0) viewing.zoomed.value = viewing.zoomed.peek() && inside(shifted(range, (aside / box.width) * length), viewing.whole.peek());
      else viewing.zoomed.value = zoom(range, range.from + share * length, Math.exp(event.deltaY / 400), viewing.whole.peek());
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [viewing]);

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 && event.button !== 2) return;
    plot.current!.setPointerCapture(event.pointerId);
    const { x } = place(event);
    if (event.button === 2) {
      pan.current = { x: event.clientX, range: shown, zoomed: viewing.zoomed.value !== undefined, moved: false };
      return;
    }
    drag.value = { from: x, to: x };
    keyed.value = false;
  };
  const onPointerMove = (event: PointerEvent) => {
    const { x, lane } = place(event);
    const panned = pan.current;
    if (panned) {
      const by = event.clientX - panned.x;
      panned.moved ||= Math.abs(by) > still;
      // The whole line has nowhere to go.
      if (panned.moved && panned.zoomed) viewing.zoomed.value = inside(shifted(panned.range, (-by / width.value) * (panned.range.to - panned.range.from)), whole);
      return;
    }
    if (drag.value) drag.value = { ...drag.value, to: x };
    hovered.value = barAt(bars, toPosition(x), lane);
  };
  const onPointerUp = (event: PointerEvent) => {
    if (event.button === 2) {
      // A press that went nowhere clears; the menu that would follow it stays away in either case.
      if (pan.current && !pan.current.moved) clearFocus(viewing);
      pan.current = undefined;
      return;
    }
    const pressed = drag.value;
    drag.value = undefined;
    if (!pressed) return;
    const { x, lane } = place(event);
    if (Math.abs(x - pressed.from) <= still) {
      const bar = barAt(bars, toPosition(x), lane);
      if (bar) viewing.select(bar.record.seq);
      return;
    }
    viewing.focus.value = touched(bars, { from: toPosition(Math.min(x, pressed.from)), to: toPosition(Math.max(x, pressed.from)) });
    if (viewing.focus.value) viewing.reveal(viewing.focus.value.first);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = selected ? bars.indexOf(selected) : -1;
    const step = { ArrowRight: at + 1, ArrowLeft: at < 0 ? bars.length - 1 : at - 1, Home: 0, End: bars.length - 1 }[event.key];
    if (step !== undefined) {
      const next = bars[Math.max(0, Math.min(bars.length - 1, step))]?.record.seq;
      if (next === undefined) return;
      if (event.shiftKey) {
        const fixed = focus && selected ? (selected.record.seq === focus.first ? focus.last : focus.first) : (selected?.record.seq ?? next);
        viewing.focus.value = { first: Math.min(fixed, next), last: Math.max(fixed, next) };
      }
      viewing.select(next);
      keyed.value = true;
    } else if (event.key === "Enter" && selected) {
      viewing.inspect(selected.record.seq);
    } else if (event.key === "+" || event.key === "=" || event.key === "-") {
      const about = selected ? (selected.from + selected.to) / 2 : (shown.from + shown.to) / 2;
      viewing.zoomed.value = zoom(shown, about, event.key === "-" ? 2 : 0.5, whole);
    } else if (event.key === "Escape" && (focus || viewing.zoomed.value)) {
      clearFocus(viewing);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const paths = useMemo(() => drawn(bars, toX, width.value), [bars, shown.from, shown.to, width.value]);
  const told = drag.value ? undefined : (hovered.value ?? (keyed.value ? selected : undefined));
  const words = (bar: Bar) => `${titleOf(bar.record, viewing.numbers.value)} · ${timing(bar.record)}`;
  const inFocus = focus ? records.filter((record) => !viewing.outside(record)).length : 0;
  const edges = drag.value
    ? { from: Math.min(drag.value.from, drag.value.to), to: Math.max(drag.value.from, drag.value.to) }
    : focus && edgesOf(bars, focus, toX, width.value);
  return (
    <section class="timeline" aria-label={t("timeline")}>
      <div class="timeline-lanes" aria-hidden="true">
        <span>{t("laneInput")}</span>
        <span>{t("laneModel")}</span>
        <span>{t("laneTools")}</span>
      </div>
      <div
        class="timeline-plot"
        ref={plot}
        role="slider"
        tabIndex={0}
        aria-label={t("plot")}
        aria-describedby={help}
        aria-valuemin={1}
        aria-valuemax={Math.max(1, bars.length)}
        aria-valuenow={selected ? bars.indexOf(selected) + 1 : 1}
        aria-valuetext={selected ? words(selected) : t("summary", { n: bars.length })}
        data-mode={viewing.mode.value}
        data-zoomed={viewing.zoomed.value ? "true" : undefined}
        onKeyDown={onKeyDown}
        onBlur={() => (keyed.value = false)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          drag.value = undefined;
          pan.current = undefined;
        }}
        onPointerLeave={() => (hovered.value = undefined)}
        onContextMenu={(event) => event.preventDefault()}
      >
        <svg class="timeline-bars" width={width.value} height={plotHeight} aria-hidden="true" focusable="false">
          {paths.map(([look, path]) => <path key={look} class={`bar bar-${look}`} d={path} />)}
        </svg>
        {edges && (
          <>
            <div class="timeline-dim" style={{ left: "0", width: `${Math.max(0, edges.from)}px` }} />
            <div class="timeline-dim" style={{ left: `${edges.to}px`, right: "0" }} />
            <div class="timeline-focus" style={{ left: `${edges.from}px`, width: `${Math.max(0, edges.to - edges.from)}px` }} />
          </>
        )}
        {selected && toX(selected.to) >= 0 && toX(selected.from) <= width.value && (
          <div class="timeline-mark" style={{ left: `${(toX(selected.from) + Math.max(toX(selected.to), toX(selected.from) + 2)) / 2}px` }} />
        )}
        {told && <Tip about={(toX(told.from) + toX(told.to)) / 2} room={width.value}>{words(told)}</Tip>}
      </div>
      <p class="timeline-note" role="status">{focus ? t("focused", { n: inFocus, all: records.length }) : t("summary", { n: records.length })}</p>
      <p id={help} class="visually-hidden">{t("plotHelp")}</p>
    </section>
  );
}

/** Shows the whole line and all of the table again. */
export function clearFocus(viewing: Viewing): void {
  viewing.focus.value = undefined;
  viewing.zoomed.value = undefined;
}

function shifted(range: Range, by: number): Range {
  return { from: range.from + by, to: range.to + by };
}

function edgesOf(bars: readonly Bar[], focus: { first: number; last: number }, toX: (position: number) => number, width: number): Range | undefined {
  const held = bars.filter((bar) => bar.record.seq >= focus.first && bar.record.seq <= focus.last);
  if (held.length === 0) return undefined;
  const clamp = (x: number) => Math.max(0, Math.min(width, x));
  return { from: clamp(toX(held[0]!.from)), to: clamp(toX(Math.max(...held.map((bar) => bar.to)))) };
}

/** A line about a bar, in the middle of it as far as the plot has room. */
function Tip({ about, room, children }: { about: number; room: number; children: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.style.left = `${Math.max(0, Math.min(room - box.current.offsetWidth, about - box.current.offsetWidth / 2))}px`;
  });
  return <div class="timeline-tip" role="tooltip" ref={box}>{children}</div>;
}

/** One path for all bars of a look, so that a thousand of them are a handful of elements. */
function drawn(bars: readonly Bar[], toX: (position: number) => number, width: number): readonly (readonly [string, string])[] {
  const paths = new Map<string, string[]>();
  const draw = (look: string, lane: number, from: number, to: number) => {
    const parts = paths.get(look) ?? [];
    paths.set(look, parts);
    parts.push(`M${from.toFixed(1)} ${lane * laneHeight + (laneHeight - barHeight) / 2}h${(to - from).toFixed(1)}v${barHeight}h${(from - to).toFixed(1)}z`);
  };
  for (const bar of bars) {
    const from = toX(bar.from);
    const room = toX(bar.to) - from;
    // A gap between neighbours, where there is room for one.
    const to = from + Math.max(1.5, room > 4 ? room - 1 : room);
    if (to < 0 || from > width) continue;
    const { record } = bar;
    const look = record.state === "failed" ? "failed" : ["input", "model", "tool"][bar.lane]!;
    if (bar.split !== undefined && look === "model") {
      const split = Math.min(to, Math.max(from, toX(bar.split)));
      draw("waiting", bar.lane, from, split);
      draw("model", bar.lane, split, to);
    } else {
      draw(look, bar.lane, from, to);
    }
  }
  return [...paths].map(([look, parts]) => [look, parts.join("")]);
}
