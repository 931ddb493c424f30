// What is offered while a person types: when the list is open, what is in it,
// and what the keys do. The field keeps the focus all the time.

import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { isComposing, useClient } from "keylane";
import { commands, type Command } from "./commands";
import { FileSearch } from "./files";
import type { Group, Option } from "./listbox";
import { t } from "./messages";
import { fetchSkills, skillsOf } from "./skills";
import { mention, oneLine, triggerAt, type Trigger } from "./trigger";

/** Whether the caret's place is known, and where it is: -1 while an input method composes or the field has no focus. */
const nowhere = -1;

const about = { compact: "aboutCompact", title: "aboutTitle", model: "aboutModel", help: "aboutHelp" } as const;

interface Suggestions {
  readonly open: boolean;
  readonly kind: Trigger["kind"];
  readonly groups: readonly Group[];
  /** Position of the option that the keys are at. */
  readonly active: number;
  readonly note: string | undefined;
  hover(position: number): void;
  /** Takes a key that is for the list; false leaves it to the field. */
  key(event: KeyboardEvent): boolean;
  /** Looks where the caret is. */
  look(composing?: boolean): void;
  /** Something was typed. */
  typed(composing: boolean): void;
  /** The field has lost the focus. */
  leave(): void;
  /** Shows the commands, whatever is in the field; or closes them. */
  toggle(): void;
}

interface Wanted {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly place: string;
  readonly text: string;
  /** Carries out a command; `typed` says that the draft is nothing but its beginning. */
  run(command: Command, typed: boolean): void;
  /** Writes text into the draft as the person's typing would. */
  write(from: number, to: number, text: string): void;
}

export function useSuggestions({ field, place, text, run, write }: Wanted): Suggestions {
  const client = useClient();
  const search = useMemo(() => new FileSearch(), []);
  const caret = useSignal(nowhere);
  /** The commands were asked for by their button. */
  const forced = useSignal(false);
  /** Where the person has closed the list; it stays closed there. */
  const closed = useSignal("");
  const active = useSignal(0);

  const typed = caret.value === nowhere ? undefined : triggerAt(text, caret.value);
  const trigger: Trigger | undefined = forced.value ? { kind: "command", from: 0, to: 0, query: "" } : typed;
  const spot = typed ? `${typed.kind} ${typed.from}` : "";
  const wanted = trigger !== undefined && (forced.value || closed.value !== spot);
  const asksFiles = wanted && trigger.kind === "file";

  useEffect(() => {
    if (closed.value !== spot) closed.value = "";
  }, [spot]);
  useEffect(() => {
    active.value = 0;
  }, [trigger?.kind, trigger?.query, forced.value]);
  useEffect(() => {
    if (wanted && trigger.kind === "command") void fetchSkills(client, place);
  }, [wanted, trigger?.kind, place]);
  useEffect(() => {
    if (asksFiles) void search.ask(client, place, trigger.query);
    else search.end();
  }, [asksFiles, trigger?.query, place]);
  useEffect(() => () => search.end(), []);

  const groups = wanted ? (trigger.kind === "file" ? fileGroups(trigger) : commandGroups(trigger)) : [];
  const options = groups.flatMap((group) => group.options);
  const at = Math.min(active.value, options.length - 1);

  function fileGroups({ from, to }: Trigger): readonly Group[] {
    const options = (search.found.value?.paths ?? []).map((path): Option => {
      const pick = () => write(from, to, `${mention(path)} `);
      return { key: path, label: oneLine(path), pick, complete: pick };
    });
    return options.length === 0 ? [] : [{ name: t("files"), options }];
  }

  function commandGroups({ query, from, to }: Trigger): readonly Group[] {
    const matches = (name: string) => name.toLowerCase().startsWith(query.toLowerCase());
    const complete = (name: string) => {
      forced.value = false;
      write(from, to, `/${name} `);
    };
    const own = commands.filter((item) => (place !== "" || !item.session) && matches(item.name)).map((item): Option => ({
      key: item.name,
      label: item.takes ? `/${item.name} ${t("titleTakes")}` : `/${item.name}`,
      about: t(about[item.name]),
      complete: () => complete(item.name),
      pick: () => {
        if (item.takes) return complete(item.name);
        forced.value = false;
        run(item, typed !== undefined && typed.to === text.length);
      },
    }));
    const skills = skillsOf(place).filter((skill) => matches(skill.name)).map((skill): Option => ({
      key: `skill ${skill.name}`,
      label: `/${skill.name}`,
      about: skill.description,
      complete: () => complete(skill.name),
      pick: () => complete(skill.name),
    }));
    return [{ name: t("commands"), options: own }, { name: t("skills"), options: skills }].filter((group) => group.options.length > 0);
  }

  const close = () => {
    forced.value = false;
    closed.value = spot;
  };
  const open = options.length > 0;

  const look = (composing = false) => {
    const element = field.current;
    const single = element && element.selectionStart === element.selectionEnd && document.activeElement === element;
    caret.value = single && !composing ? element.selectionStart : nowhere;
  };

  return {
    open,
    kind: trigger?.kind ?? "command",
    groups,
    active: at,
    hover: (position) => (active.value = position),
    note: asksFiles && search.found.value?.truncated ? t("moreFiles") : undefined,
    key(event) {
      if (!open || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return false;
      const option = options[at];
      switch (event.key) {
        case "ArrowDown":
          active.value = (at + 1) % options.length;
          break;
        case "ArrowUp":
          active.value = (at + options.length - 1) % options.length;
          break;
        case "Enter":
          if (event.shiftKey) return false;
          option?.pick();
          break;
        case "Tab":
          if (event.shiftKey) return false;
          option?.complete();
          break;
        case "Escape":
          event.stopPropagation(); // it closes this and nothing else
          close();
          break;
        default:
          return false;
      }
      event.preventDefault();
      return true;
    },
    look,
    typed(composing) {
      forced.value = false; // what is typed says what is wanted
      look(composing);
    },
    leave() {
      forced.value = false;
      caret.value = nowhere;
    },
    toggle() {
      forced.value = !forced.value;
      field.current?.focus();
    },
  };
}
