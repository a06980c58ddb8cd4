// Grooming: pick four candidates, or a reason to reject the sentence. Candidates are picked by number. With thirty candidates, 4 to 9 pick at once; 1, 2
// or 3 wait for a second digit or Space. If both digits make no number of the list, the second starts a new number. The page shows pending digits.

import { digit, remember } from "./keys.js";

export function start(form, changed) {
  const boxes = [...form.querySelectorAll("[name=picked]")];
  const reasons = [...form.querySelectorAll("[name=rejected]")];
  const [note, reject, stack, sentence, shown] = ["note", "reject", "stack", "sentence", "preview"].map((id) => document.getElementById(id));
  const hide = document.getElementById("hide"); // only if the study shows the machine's verdicts
  const wanted = Number(document.getElementById("candidates").dataset.wanted);
  let typed = "";

  const picked = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const reason = () => reasons.find((one) => one.checked);

  function show() {
    const n = picked().length;
    const why = reason();
    document.getElementById("count").textContent = why ? "rejected" : n > wanted ? `${n} picked: ${n - wanted} too many` : `${n} of ${wanted} picked`;
    document.getElementById("candidates").classList.toggle("off", Boolean(why));
    if (why) reject.open = true;
  }

  const item = (box) => box.closest("li");
  const visible = () => boxes.filter((box) => !item(box).hidden);

  /** Hide what the machine rejected and nobody picked. Only here, so nothing moves while the judge picks. */
  function sift() {
    for (const box of boxes) item(box).hidden = Boolean(hide?.checked && box.dataset.refused && !box.checked);
    if (item(document.activeElement)?.hidden) hide.focus();
  }

  /** Show the sentence with a candidate in place of the answer. The height stays the same, so nothing below moves. */
  function preview(box) {
    const copy = [...sentence.childNodes].map((node) => node.cloneNode(true));
    const word = document.createElement("span");
    word.className = "filled";
    word.textContent = box?.value ?? "";
    shown.replaceChildren(...(box ? copy.map((node) => (node.nodeName === "MARK" ? word : node)) : []));
    stack.classList.toggle("with", Boolean(box));
    if (box) stack.scrollTop = word.offsetTop - stack.clientHeight / 2; // if the sentence is too long for its box
  }

  function type(digits, words = "") {
    typed = digits;
    document.getElementById("typed").textContent = digits ? `${digits}_ one more digit, or Space` : words;
  }

  function pick(number) {
    const box = boxes[number - 1];
    if (!box) return type("", `there is no ${number}`);
    if (item(box).hidden) return type("", `${number} is hidden`);
    type("");
    box.checked = !box.checked;
    box.focus();
    chosen(box);
  }

  function chosen(one) {
    if (boxes.includes(one)) for (const other of reasons) other.checked = false; // picking cancels a rejection
    show();
    changed();
  }

  function why(one) {
    one.checked = !one.checked;
    show();
    changed();
    if (one.checked) (one.value === "other" ? note : one).focus();
  }

  function walk(at, key) {
    const boxes = visible();
    const columns = boxes.filter((box) => item(box).offsetTop === item(boxes[0]).offsetTop).length;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
    boxes[boxes.includes(at) ? boxes.indexOf(at) + step : 0]?.focus();
  }

  for (const box of boxes) {
    box.addEventListener("change", () => chosen(box));
    box.addEventListener("focus", () => preview(box));
    box.addEventListener("blur", () => preview(null));
    item(box).addEventListener("pointerenter", () => preview(box));
    item(box).addEventListener("pointerleave", () => preview(boxes.find((one) => one === document.activeElement)));
  }
  for (const one of reasons) one.addEventListener("change", () => chosen(one));
  if (hide) {
    remember(hide, `cloze-gen/${form.dataset.storageKey}/hide-rejected`);
    hide.addEventListener("change", sift);
    sift();
  }
  note.addEventListener("input", changed);
  document.getElementById("no-reject").addEventListener("click", () => (reasons.forEach((one) => (one.checked = false)), show(), changed()));

  return {
    state: () => ({ picked: picked(), rejected: reason()?.value ?? "", note: note.value }),

    restore(state) {
      boxes.forEach((box) => (box.checked = (state.picked ?? []).includes(box.value)));
      reasons.forEach((one) => (one.checked = one.value === state.rejected));
      note.value = state.note ?? "";
      sift();
      show();
    },

    response() {
      const why = reason();
      if (why) return { response: { rejected: why.value, note: note.value } };
      const words = picked();
      if (words.length === wanted) return { response: { picked: words } };
      const change = words.length > wanted ? `remove ${words.length - wanted}` : `${wanted - words.length} missing`;
      return { missing: `Pick exactly ${wanted} (${change}), or reject the sentence.`, focus: boxes.find((box) => box.checked) ?? visible()[0] ?? hide };
    },

    key(event) {
      const number = digit(event);
      if (number !== null) {
        if (Number(typed) && !boxes[Number(typed + number) - 1]) pick(Number(typed));
        if (!typed && 10 * number <= boxes.length) type(String(number));
        else pick(Number(typed + number));
      } else if (event.key === " " && Number(typed)) pick(Number(typed));
      else if (event.key.startsWith("Arrow") && !reasons.includes(event.target)) walk(event.target, event.key);
      else if (event.key === "r") {
        reject.open = !reject.open || Boolean(reason());
        (reject.open ? reason() ?? reasons[0] : visible()[0] ?? hide).focus();
      } else if (event.key === "h" && hide) hide.click();
      else {
        const one = reasons.find((one) => one.dataset.key === event.key.toLowerCase());
        if (!one) return false;
        why(one);
      }
      return true;
    },

    enter() {
      if (!Number(typed)) return false;
      pick(Number(typed));
      return true;
    },

    erase() {
      const was = typed;
      type("");
      return was !== "";
    },

    escape() {
      type("");
      preview(null);
    },
  };
}
