// What has been chosen and written for waiting questions: another session may
// be looked at meanwhile, and it survives a reload, see keptMap. Pure but for that.

import { keptMap, type Answer, type Json, type JsonObject, type PendingQuestions, type Question } from "keylane";

/** The state of one question. */
export interface Choice extends JsonObject {
  readonly selected: readonly string[];
  readonly custom: string;
  readonly skipped: boolean;
}

export interface Sheet extends JsonObject {
  readonly choices: readonly Choice[];
  /** Position of the question on screen. */
  readonly at: number;
}

const blank: Choice = { selected: [], custom: "", skipped: false };
const sheets = keptMap<Sheet>("answers", sheetIn);

export function sheetOf(asked: PendingQuestions): Sheet {
  const kept = sheets.values.value.get(asked.questionRpcId);
  return kept?.choices.length === asked.questions.length ? kept : { choices: asked.questions.map(() => blank), at: 0 };
}

export function keep(asked: PendingQuestions, sheet: Sheet): void {
  sheets.put(asked.questionRpcId, sheet);
}

/** The questions are answered. */
export function forget(asked: PendingQuestions): void {
  sheets.put(asked.questionRpcId, undefined);
}

/** Reads a sheet from what the tab has kept. */
function sheetIn(value: Json): Sheet | undefined {
  const { choices, at } = Object(value) as Partial<Sheet>;
  if (!Array.isArray(choices) || !choices.every(isChoice) || !Number.isInteger(at) || choices[at as number] === undefined) return undefined;
  return { choices, at: at as number };
}

function isChoice(value: Json): value is Choice {
  const { selected, custom, skipped } = Object(value) as Partial<Choice>;
  return Array.isArray(selected) && selected.every((label) => typeof label === "string") && typeof custom === "string" && typeof skipped === "boolean";
}

/** The sheet with another choice for the question on screen. */
export function choose(sheet: Sheet, change: Partial<Choice>): Sheet {
  return { ...sheet, choices: sheet.choices.map((choice, index) => (index === sheet.at ? { ...choice, skipped: false, ...change } : choice)) };
}

/** Selects an option, or takes it back where several can be chosen. One's own words don't stand beside a single choice. */
export function select(sheet: Sheet, question: Question, label: string): Sheet {
  const { selected } = sheet.choices[sheet.at] ?? blank;
  if (question.multiSelect !== true) return choose(sheet, { selected: [label], custom: "" });
  return choose(sheet, { selected: selected.includes(label) ? selected.filter((other) => other !== label) : selected.concat(label) });
}

/** Writes an answer of one's own. */
export function write(sheet: Sheet, question: Question, custom: string): Sheet {
  return choose(sheet, question.multiSelect === true || custom.trim() === "" ? { custom } : { custom, selected: [] });
}

export function isAnswered(choice: Choice): boolean {
  return choice.skipped || choice.selected.length > 0 || choice.custom.trim() !== "";
}

/** Position of the next question without an answer after `at`, going round; undefined when there is none. */
export function nextOpen(sheet: Sheet): number | undefined {
  const count = sheet.choices.length;
  for (let step = 1; step <= count; step++) {
    const position = (sheet.at + step) % count;
    if (!isAnswered(sheet.choices[position] ?? blank)) return position;
  }
  return undefined;
}

/** The answers as the host wants them: labels in the order of the options. */
export function answersOf(asked: PendingQuestions, sheet: Sheet): readonly Answer[] {
  return asked.questions.map((question, index) => {
    const { selected, custom, skipped } = sheet.choices[index] ?? blank;
    const labels = skipped ? [] : (question.options ?? []).map((option) => option.label).filter((label) => selected.includes(label));
    const words = skipped ? "" : custom.trim();
    return { id: question.id, selected: labels, ...(words === "" ? {} : { custom: words }) };
  });
}
