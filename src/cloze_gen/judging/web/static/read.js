// Reading: the answer by its digit, then the faults of the others: f or u and a digit.

import { digit } from "./keys.js";

const MARKS = { f: "fits_as_well", u: "ungrammatical" };
const PROMPTS = { f: "f_ which option fits as well?", u: "u_ which option is ungrammatical?" };

export function start(form, changed) {
  const all = (name) => [...form.querySelectorAll(`[name=${name}]`)];
  const [options, fits, wrong] = ["answer", "fits_as_well", "ungrammatical"].map(all);
  const [[broken], [trivial]] = ["broken", "trivial"].map(all);
  const marks = { fits_as_well: fits, ungrammatical: wrong };
  const slot = document.getElementById("slot");
  const gap = [...slot.childNodes];
  let typed = "";

  const places = (boxes) => boxes.flatMap((box, place) => (box.checked ? [place] : []));
  const answer = () => options.findIndex((one) => one.checked);

  function type(letter, words = "") {
    typed = letter;
    document.getElementById("typed").textContent = PROMPTS[letter] ?? words;
  }

  function show() {
    const at = answer();
    for (const boxes of Object.values(marks)) {
      boxes.forEach((box, place) => {
        box.disabled = place === at; // the answer itself is never marked
        if (box.disabled) box.checked = false;
      });
    }
    if (at < 0) slot.replaceChildren(...gap);
    else slot.textContent = options[at].dataset.word;
    slot.classList.toggle("filled", at >= 0);
  }

  function mark(boxes, place, on) {
    boxes[place].checked = on;
    if (on) for (const other of Object.values(marks)) if (other !== boxes) other[place].checked = false; // an option has one mark at most
    changed();
  }

  for (const one of options) one.addEventListener("change", () => (show(), changed()));
  for (const boxes of Object.values(marks)) boxes.forEach((box, place) => box.addEventListener("change", () => mark(boxes, place, box.checked)));
  for (const one of [broken, trivial]) one.addEventListener("change", changed);

  function flip(box) {
    box.checked = !box.checked;
    box.focus();
    changed();
  }

  return {
    state: () => ({
      answer: answer(), fits_as_well: places(fits), ungrammatical: places(wrong), broken: broken.checked, trivial: trivial.checked,
    }),

    restore(state) {
      options.forEach((one, place) => (one.checked = place === state.answer));
      for (const [name, boxes] of Object.entries(marks)) boxes.forEach((box, place) => (box.checked = (state[name] ?? []).includes(place)));
      broken.checked = Boolean(state.broken);
      trivial.checked = Boolean(state.trivial);
      show();
    },

    response() {
      const response = this.state();
      if (response.answer < 0 && !response.broken) return { missing: "Choose the answer, or mark the question as broken.", focus: options[0] };
      if (response.trivial && response.fits_as_well.length) {
        return { missing: "A question with an option that fits as well is not trivial. Remove one of the two marks.", focus: trivial };
      }
      return { response: { ...response, answer: response.answer < 0 ? null : response.answer } };
    },

    key(event) {
      const number = digit(event);
      const letter = event.key.toLowerCase();
      if (number !== null) {
        const boxes = marks[MARKS[typed]] ?? options;
        const box = boxes[number - 1];
        if (!box || box.disabled) type("", box ? "that is your answer" : `there is no ${number}`);
        else {
          type("");
          box.focus();
          if (boxes !== options) mark(boxes, number - 1, !box.checked);
          else {
            box.checked = true;
            show();
            changed();
          }
        }
      } else if (letter in MARKS) type(typed === letter ? "" : letter);
      else if (letter === "t") flip(trivial);
      else if (letter === "b") flip(broken);
      else return false;
      return true;
    },

    erase() {
      const was = typed;
      type("");
      return was !== "";
    },

    escape: () => type(""),
  };
}
