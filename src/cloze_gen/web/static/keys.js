// Reading keys.

/** The digit of a key, 0 to 9, also of a keyboard whose upper row has other marks without Shift; null for any other key. */
export function digit(event) {
  if (/^[0-9]$/.test(event.key)) return Number(event.key);
  const found = event.shiftKey || /^[a-z?]$/i.test(event.key) ? null : /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  return found && Number(found[1]);
}
