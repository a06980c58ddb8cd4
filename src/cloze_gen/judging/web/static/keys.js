// Keyboard input.

/** The digit of a key, 0 to 9; null for any other key. Works for keyboards that need Shift for the digits of the upper row. */
export function digit(event) {
  if (/^[0-9]$/.test(event.key)) return Number(event.key);
  const found = event.shiftKey || /^[a-z?]$/i.test(event.key) ? null : /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  return found && Number(found[1]);
}
