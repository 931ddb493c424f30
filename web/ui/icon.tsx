import { icons, type Shape } from "./icons";

export type IconName = keyof typeof icons;

/** A 16 px icon. It says nothing to a screen reader: it always stands beside a name. */
export function Icon({ name }: { name: IconName }) {
  const shapes: readonly Shape[] = icons[name];
  return (
    <svg class="icon" data-icon={name} viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" focusable="false">
      {shapes.map(([Tag, attributes], position) => (
        <Tag key={position} {...attributes} />
      ))}
    </svg>
  );
}
