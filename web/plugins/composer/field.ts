// What the composer does to its field beyond showing a value.

/** Makes the field as tall as its text where the browser doesn't by itself. */
export function grow(field: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Characters from which on a text is drawn with the system's own fonts. With web fonts a browser looks up every sign that they lack by itself: a megabyte with an emoji in each line stops the page for ten seconds. */
const long = 20_000;

export function isLong(text: string): boolean {
  return text.length >= long;
}

/** Called with a paste that is about to happen: the field is laid out inside of it, so that the fonts must be right before. */
export function prepare(event: ClipboardEvent): void {
  const field = event.currentTarget as HTMLTextAreaElement;
  if (isLong(field.value + (event.clipboardData?.getData("text/plain") ?? ""))) field.dataset["long"] = "";
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
