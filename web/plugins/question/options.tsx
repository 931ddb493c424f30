import { useId } from "preact/hooks";
import type { Question } from "keylane";

interface OptionsProps {
  readonly question: Question;
  readonly selected: readonly string[];
  readonly labelledBy: string;
  /** `pointer` tells a click from the arrow and space keys. */
  readonly onSelect: (label: string, pointer: boolean) => void;
}

/** The options of a question: boxes where several can be chosen, else radio buttons. */
export function Options({ question, selected, labelledBy, onSelect }: OptionsProps) {
  const name = useId();
  const options = question.options ?? [];
  const several = question.multiSelect === true;
  if (options.length === 0) return null;
  return (
    <div class="question-options" role={several ? "group" : "radiogroup"} aria-labelledby={labelledBy}>
      {options.map((option, index) => {
        const about = `${name}-${index}`;
        return (
          <label key={option.label} class="question-option" data-selected={selected.includes(option.label)}>
            <input
              type={several ? "checkbox" : "radio"}
              name={name}
              checked={selected.includes(option.label)}
              aria-label={option.label}
              aria-describedby={option.description ? about : undefined}
              onClick={(event) => onSelect(option.label, event.detail > 0)}
            />
            <span class="question-number" aria-hidden="true">{index < 9 ? index + 1 : ""}</span>
            <span class="question-words">
              <span class="question-label" aria-hidden="true">{option.label}</span>
              {option.description && <span id={about} class="question-description">{option.description}</span>}
            </span>
          </label>
        );
      })}
    </div>
  );
}
