import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Floating } from "keylane";

/** One thing to pick. */
export interface Option {
  readonly key: string;
  readonly label: string;
  readonly about?: string;
  /** Enter or a click. */
  readonly pick: () => void;
  /** Tab: writes it out and goes no further. */
  readonly complete: () => void;
}

export interface Group {
  readonly name: string;
  readonly options: readonly Option[];
}

interface ListboxProps {
  readonly id: string;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly label: string;
  readonly groups: readonly Group[];
  /** Position of the option that the keys are at, over all groups. */
  readonly active: number;
  /** Stands below the options. */
  readonly note: string | undefined;
  readonly hover: (position: number) => void;
}

/** Id of an option, for the field's aria-activedescendant. */
export function optionId(list: string, position: number): string {
  return `${list}-${position}`;
}

/** Suggestions for a field, which keeps the focus and has the keys. */
export function Listbox({ id, anchor, label, groups, active, note, hover }: ListboxProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, groups]);
  let position = 0;
  const shown = groups.map(({ name, options }) => {
    const rows = options.map((option) => {
      const at = position++;
      return (
        <div
          key={option.key}
          id={optionId(id, at)}
          role="option"
          class="suggestion"
          aria-selected={at === active}
          onMouseMove={() => hover(at)}
          onMouseDown={(event) => {
            event.preventDefault(); // the field keeps the focus
            if (event.button === 0) option.pick();
          }}
        >
          <span class="suggestion-label">{option.label}</span>
          {option.about && <span class="suggestion-about">{option.about}</span>}
        </div>
      );
    });
    if (groups.length === 1) return rows;
    return (
      <div key={name} role="group" aria-label={name}>
        <div class="suggestion-group" aria-hidden="true">{name}</div>
        {rows}
      </div>
    );
  });
  return (
    <Floating anchor={anchor} align="stretch">
      <div ref={list} id={id} role="listbox" aria-label={label} onMouseDown={(event) => event.preventDefault()}>{shown}</div>
      {note && <p class="suggestion-note">{note}</p>}
    </Floating>
  );
}
