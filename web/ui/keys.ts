// What a key press means for text fields. One rule for all of them, because
// every field that acts on Enter has to tell it from the Enter that ends a
// composition of an input method.

/**
 * True for a key press that belongs to an input method. Browsers say so with
 * isComposing; Safari sends the key that ends a composition after it has ended,
 * and marks it with the key code 229 alone.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** True for the Enter that says "done": not one that ends a composition, and not Shift+Enter, which is a new line. */
export function isSubmit(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !isComposing(event);
}
