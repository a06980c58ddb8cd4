// Filling blanks: a letter puts a candidate into the current blank, a digit selects a blank. A candidate is used once; using it again moves it.

import { digit } from "./keys.js";

export function start(form, changed) {
  const blanks = [...form.querySelectorAll(".blank")];
  const candidates = [...form.querySelectorAll(".candidate")];
  const undo = document.getElementById("undo");
  const letter = (place) => candidates[place].querySelector("kbd").textContent;
  const words = (place) => candidates[place].querySelector(".words").textContent;
  const filling = (at) => `${letter(fills[at])}, ${words(fills[at])}`;
  let fills = blanks.map(() => null);
  let turn = 0;
  const before = [];

  function show() {
    blanks.forEach((blank, at) => {
      const place = fills[at];
      const number = document.createElement("b");
      number.textContent = place === null ? `${at + 1}` : `${at + 1} ${letter(place)}`;
      blank.replaceChildren(number, place === null ? "" : ` ${words(place)}`);
      blank.setAttribute("aria-label", `Blank ${at + 1}: ${place === null ? "empty" : filling(at)}`);
      blank.setAttribute("aria-current", String(at === turn));
      blank.classList.toggle("filled", place !== null);
    });
    candidates.forEach((candidate, place) => {
      const at = fills.indexOf(place);
      candidate.querySelector(".where").textContent = at < 0 ? "" : `in blank ${at + 1}`;
      candidate.classList.toggle("used", at >= 0);
    });
    undo.disabled = !before.length;
  }

  function go(at, words = "") {
    turn = at;
    show();
    document.getElementById("announcement").textContent = `${words}Blank ${at + 1}${fills[at] === null ? ", empty" : `: ${filling(at)}`}.`;
    blanks[at].scrollIntoView({ block: "nearest" });
  }

  function set(next, at) {
    before.push({ fills, turn });
    fills = next;
    go(at);
    changed();
  }

  function put(place) {
    if (fills[turn] === place) return set(fills.with(turn, null), turn);
    const next = fills.map((one) => (one === place ? null : one)).with(turn, place);
    const open = [...blanks.keys()].map((step) => (turn + step) % blanks.length).find((at) => next[at] === null);
    set(next, open ?? turn);
  }

  function back() {
    const was = before.pop();
    if (!was) return;
    fills = was.fills;
    go(was.turn);
    changed();
  }

  blanks.forEach((blank, at) => blank.addEventListener("click", () => go(at)));
  candidates.forEach((candidate, place) => candidate.addEventListener("click", () => put(place)));
  undo.addEventListener("click", back);
  show();

  return {
    state: () => ({ fills, turn }),

    restore(state) {
      fills = blanks.map((_, at) => state.fills?.[at] ?? null);
      turn = Math.max(0, state.turn ?? fills.indexOf(null));
      show();
    },

    response() {
      const at = fills.indexOf(null);
      if (at < 0) return { response: { fills } };
      go(at);
      return { missing: `Blank ${at + 1} is empty.` };
    },

    key(event) {
      const number = digit(event);
      const place = event.key.length === 1 ? candidates.findIndex((_, place) => letter(place) === event.key.toUpperCase()) : -1;
      if (number !== null && number >= 1 && number <= blanks.length) go(number - 1);
      else if (place >= 0) put(place);
      else if (event.key === "Delete") fills[turn] !== null && set(fills.with(turn, null), turn);
      else return false;
      return true;
    },

    chord(event) {
      if (event.key.toLowerCase() !== "z" || event.shiftKey || event.altKey) return false;
      back();
      return true;
    },
  };
}
