import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

/** One press of an arrow key, in CSS pixels. */
const step = 16;

interface SeparatorProps {
  readonly label: string;
  /** Id of the column whose width it is. */
  readonly controls: string;
  /** Which side of the separator that column is on. */
  readonly side: "left" | "right";
  readonly width: number;
  readonly min: number;
  readonly max: number;
  readonly initial: number;
  readonly onWidth: (width: number) => void;
  readonly onCollapse: () => void;
}

/** The line between two columns: dragged, moved by arrows, Home and End; Enter closes the column, a double click makes it what it was at first. */
export function Separator({ label, controls, side, width, min, max, initial, onWidth, onCollapse }: SeparatorProps) {
  const drag = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  const dragged = useSignal(false);
  const sign = side === "left" ? 1 : -1;
  const set = (wanted: number) => onWidth(Math.round(Math.max(min, Math.min(max, wanted))));
  const end = () => {
    drag.current = undefined;
    dragged.value = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { ArrowRight: width + sign * step, ArrowLeft: width - sign * step, Home: min, End: max }[event.key];
    if (to !== undefined) set(to);
    else if (event.key === "Enter") onCollapse();
    else return;
    event.preventDefault();
  };
  return (
    <div
      class={`separator separator-${side}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-controls={controls}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      data-dragged={dragged.value ? "" : undefined}
      onKeyDown={onKeyDown}
      onDblClick={() => set(initial)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, width };
        dragged.value = true;
      }}
      onPointerMove={(event) => drag.current && set(drag.current.width + sign * (event.clientX - drag.current.x))}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
