// What the composer does to its field beyond showing a value.

/** Makes the field as tall as its text where the browser doesn't by itself. */
export function grow(field: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Puts text in the place of a part of the field, as typing would: the field tells of it, and it can be undone. */
export function insert(field: HTMLTextAreaElement, from: number, to: number, text: string): void {
  field.focus();
  field.setSelectionRange(from, to);
  if (document.execCommand("insertText", false, text)) return;
  field.setRangeText(text, from, to, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: text }));
}

/** Opens a choice for the person, or at least goes there where the browser doesn't let a page open it. */
export function showPicker(select: HTMLSelectElement | null): void {
  select?.focus();
  try {
    select?.showPicker();
  } catch {
    // It has the focus: the arrow keys choose.
  }
}
