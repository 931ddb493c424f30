import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface FloatingProps {
  /** What it stands above. */
  readonly anchor: RefObject<HTMLElement | null>;
  /** `stretch`: as wide as the anchor; `end`: with the anchor's end. */
  readonly align: "stretch" | "end";
  readonly children: ComponentChildren;
}

const gap = 6;
const margin = 12;

/** A box that floats above its anchor and stays inside the window: what doesn't fit scrolls. */
export function Floating({ anchor, align, children }: FloatingProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = () => {
      if (!anchor.current || !box.current) return;
      const { top, left, right, width } = anchor.current.getBoundingClientRect();
      const { clientWidth, clientHeight } = document.documentElement;
      const { style } = box.current;
      style.bottom = `${clientHeight - top + gap}px`;
      style.maxHeight = `${Math.min(360, Math.max(96, top - gap - margin))}px`;
      style.maxWidth = `${clientWidth - 2 * margin}px`;
      if (align === "stretch") {
        style.left = `${left}px`;
        style.width = `${width}px`;
      } else {
        style.right = `${Math.max(margin, Math.min(clientWidth - right, clientWidth - margin - box.current.offsetWidth))}px`;
      }
    };
    place();
    const observer = new ResizeObserver(place);
    if (anchor.current) observer.observe(anchor.current);
    addEventListener("resize", place);
    return () => {
      observer.disconnect();
      removeEventListener("resize", place);
    };
  });
  return <div ref={box} class="floating">{children}</div>;
}
