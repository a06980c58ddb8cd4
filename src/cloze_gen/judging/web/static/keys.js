// Keyboard input, and switches that a browser remembers.

/** The digit of a key, 0 to 9; null for any other key. Works for keyboards that need Shift for the digits of the upper row. */
export function digit(event) {
  if (/^[0-9]$/.test(event.key)) return Number(event.key);
  const found = event.shiftKey || /^[a-z?]$/i.test(event.key) ? null : /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  return found && Number(found[1]);
}

/** Restore a checkbox from this browser's storage, and store each change. Without storage it keeps its state for this page only. */
export function remember(box, name) {
  try {
    box.checked = (localStorage.getItem(name) === null) === box.defaultChecked;
  } catch {
    // no storage
  }
  box.addEventListener("change", () => {
    try {
      box.checked === box.defaultChecked ? localStorage.removeItem(name) : localStorage.setItem(name, box.checked ? "on" : "off");
    } catch {
      // for this page only
    }
  });
}
