import { useId } from "preact/hooks";

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** What it means, in one line. */
  readonly about?: string;
  /** The language of the label, where it is not the page's. */
  readonly lang?: string;
}

interface ChoicesProps<T extends string> {
  readonly label: string;
  /** What it is for, in one line. */
  readonly about?: string;
  readonly value: T;
  readonly choices: readonly Choice<T>[];
  readonly choose: (value: T) => void;
}

/** One of a few, all of them seen: a group of radios, moved through with the arrows. */
export function Choices<T extends string>({ label, about, value, choices, choose }: ChoicesProps<T>) {
  const id = useId();
  return (
    <fieldset class="choices" aria-describedby={about ? `${id}-about` : undefined}>
      <legend>{label}</legend>
      {about && <p id={`${id}-about`} class="choices-about">{about}</p>}
      {choices.map((choice) => (
        <label key={choice.value} class="choice">
          <input
            type="radio"
            name={id}
            value={choice.value}
            checked={choice.value === value}
            aria-labelledby={`${id}-${choice.value}-label`}
            aria-describedby={choice.about ? `${id}-${choice.value}-about` : undefined}
            onChange={() => choose(choice.value)}
          />
          <span class="choice-words">
            <span id={`${id}-${choice.value}-label`} lang={choice.lang}>{choice.label}</span>
            {choice.about && <span id={`${id}-${choice.value}-about`} class="choice-about">{choice.about}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
