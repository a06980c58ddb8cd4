// One item on the screen: keys, the draft, saving and going on. What is asked lies in groom.js, guess.js, read.js and fill.js, each with
//   start(form, changed) -> { state(), restore(state), said(), told(said), key(event), ... }
// said() is {said} as the server wants it, or {missing, focus}; told() is it in words. The others return whether they took the key: key(event) one that
// is typed nowhere, typing(event) one in a field, chord(event) one with Ctrl or Alt, enter(event) before saving, erase() before going back, escape().

import { Clock } from "./clock.js";
import { Outbox, uuid } from "./outbox.js";

const KEYS_OFF = "cloze-gen/single-keys-off";
const $ = (id) => document.getElementById(id);

/** Words for the judge, read aloud; kind: "" for news, "wrong" for what is to be mended, "waits" for what goes on by itself. */
function tell(words, kind = "") {
  $("status").textContent = words;
  $("status").dataset.kind = kind;
}

/** Resolves when there is reason to try at once: the network is back, the page is looked at again, or the judge asks. */
function hurried() {
  return new Promise((resolve) => {
    const over = new AbortController();
    const now = () => (over.abort(), resolve());
    addEventListener("online", now, { signal: over.signal });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && now(), { signal: over.signal });
    $("again")?.addEventListener("click", now, { signal: over.signal });
  });
}

/** Send what an earlier page could not; returns what could not be taken. */
async function sendEarlier(outbox, entries) {
  const held = [];
  for (const entry of entries) {
    const outcome = entry.held
      ? entry.held
      : await outbox.deliver(entry, () => tell(`${entries.length} saved before, not sent yet: kept in this browser.`, "waits"), hurried);
    if (outcome.is === "taken") outbox.drop(entry.id);
    else if (outcome.is === "nobody") return tell(NOBODY, "wrong");
    else {
      outbox.put({ ...entry, held: outcome });
      held.push(entry);
    }
  }
  if (!held.length) {
    if (entries.length) tell("All saved.");
    return;
  }
  const note = $("elsewhere");
  if (!note) return;
  note.hidden = false;
  note.textContent = "Not taken, because another window said otherwise or the item has changed: ";
  held.forEach((entry, at) => {
    const link = document.createElement("a");
    link.href = `/item/${encodeURIComponent(entry.assignment)}`;
    link.textContent = held.length === 1 ? "look at it" : `look at number ${at + 1}`;
    note.append(link, " ");
  });
}

const NOBODY =
  "Your link is no longer valid here. What you saved waits in this browser: open your link again, or ask for a new one, and it is sent.";

async function startItem(form) {
  const { assignment, whose, csrf, task: name } = form.dataset;
  const { start } = await import(`./${name}.js`);
  const outbox = new Outbox(whose, csrf);
  const all = outbox.entries();
  const mine = all.filter((entry) => entry.assignment === assignment);
  const said = form.dataset.said ? JSON.parse(form.dataset.said) : null;
  let replaces = form.dataset.replaces;
  let draft = outbox.draft(assignment);
  if (draft && draft.replaces !== replaces) draft = null; // another window has saved this item since
  const clock = new Clock(Number(draft?.seconds) || 0);
  const task = start(form, () => {
    if (!busy) tell(""); // what was to be mended is being mended
    keepDraft();
  });
  let busy = false;
  let touched = draft !== null;

  function keepDraft() {
    touched = true;
    if (!outbox.keepDraft(assignment, { state: task.state(), seconds: clock.seconds(), replaces })) {
      tell("This browser keeps nothing, being full or forbidden to: what you choose here is lost when you leave before it is saved.", "wrong");
    }
  }

  function lock(on) {
    busy = on;
    form.setAttribute("aria-busy", String(on));
    $("asked").inert = on;
    $("save").disabled = on;
    $("again").hidden = true;
  }

  function save() {
    if (busy) return;
    const { said, missing, focus } = task.said();
    if (missing) {
      tell(missing, "wrong");
      focus?.focus();
      return;
    }
    const entry = { id: uuid(), assignment, replaces, said, seconds: Math.round(clock.seconds() * 10) / 10, at: Date.now() };
    const kept = outbox.put(entry);
    send([entry], kept);
  }

  async function send(entries, kept = true) {
    lock(true);
    $("conflict").hidden = true;
    tell("Saving…", "waits");
    const unkept = kept ? null : new AbortController();
    if (unkept) addEventListener("beforeunload", (event) => event.preventDefault(), { signal: unkept.signal });
    let next = "/";
    for (const entry of entries) {
      const outcome = await outbox.deliver(entry, (seconds) => waits(seconds, kept), hurried);
      unkept?.abort();
      if (outcome.is === "taken") {
        outbox.drop(entry.id);
        outbox.dropDraft(assignment);
        next = outcome.next;
      } else return notTaken(entry, outcome);
    }
    tell("Saved.");
    location.assign(next);
  }

  function waits(seconds, kept) {
    const where = kept ? "It is kept in this browser" : "Keep this page open: this browser keeps nothing";
    tell(`Not sent yet: the server does not answer. ${where}, and goes out by itself.`, "waits");
    $("again").hidden = seconds < 1;
  }

  function notTaken(entry, outcome) {
    if (outcome.is === "nobody") {
      tell(NOBODY, "wrong");
      form.setAttribute("aria-busy", "false");
      return;
    }
    lock(false);
    if (outcome.is === "elsewhere") return conflict(entry, outcome.current);
    outbox.drop(entry.id);
    keepDraft();
    tell(`Not taken: ${outcome.words}`, "wrong");
  }

  function conflict(entry, current) {
    outbox.put({ ...entry, held: { is: "elsewhere", current } });
    const words = current.said ? task.told(current.said) : "something else";
    $("conflict-words").textContent = `Another window of yours has saved this item otherwise: ${words}. Here it is: ${task.told(entry.said)}.`;
    $("conflict").hidden = false;
    tell("");
    $("conflict-words").focus();
    $("keep-other").onclick = () => {
      outbox.drop(entry.id);
      outbox.dropDraft(assignment);
      busy = true;
      location.assign("/");
    };
    $("send-this").onclick = () => {
      replaces = current.id;
      const { held, ...again } = { ...entry, replaces };
      send([again], outbox.put(again));
    };
  }

  function leave(event) {
    if (!busy) return;
    event.preventDefault();
    tell("Not sent yet: this page goes on by itself when the server answers.", "waits");
  }

  form.addEventListener("submit", (event) => (event.preventDefault(), save()));
  for (const link of form.querySelectorAll("a.button")) link.addEventListener("click", leave);
  addEventListener("pagehide", () => touched && !busy && keepDraft()); // for its seconds
  startKeys(task, save);

  if (mine.length) task.restore(mine.at(-1).said);
  else if (draft || said) task.restore(draft ? draft.state : said);
  const held = mine.find((entry) => entry.held);
  if (held) {
    notTaken(held, held.held.is === "elsewhere" ? { is: "elsewhere", current: { id: replaces, said: said ?? undefined } } : held.held);
  } else if (mine.length) send(mine);
  form.dataset.ready = "yes";
  const others = all.filter((entry) => entry.assignment !== assignment);
  if (others.length) sendEarlier(outbox, others);
}

/** What the keyboard does: a field that is written into keeps its keys, and so does a button. */
function startKeys(task, save) {
  const help = $("help");
  const single = $("single-keys");
  try {
    single.checked = localStorage.getItem(KEYS_OFF) === null;
  } catch {
    // stays on
  }
  single.addEventListener("change", () => {
    try {
      single.checked ? localStorage.removeItem(KEYS_OFF) : localStorage.setItem(KEYS_OFF, "off");
    } catch {
      // for this page only
    }
  });
  const show = () => (help.showModal(), $("help-title").focus()); // at its beginning, not at its first control
  $("keys").addEventListener("click", show);

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || help.open) return;
    if (event.key === "Escape") return task.escape?.();
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (chord) return task.chord?.(event) && event.preventDefault();
    const at = event.target;
    const field = at.matches?.("input[type=text]") ? at : null;
    if (event.key === "Enter") {
      // A button that the keyboard walked to is pressed; one that the mouse has left the focus on is not.
      if (at.matches?.("button:focus-visible, a, summary:focus-visible, .bar button, .notice button")) return;
      event.preventDefault();
      if (!event.repeat && !task.enter?.(event)) save();
    } else if (event.key === "Backspace" && !field?.value) {
      event.preventDefault();
      if (!event.repeat && !task.erase?.()) $("back")?.click();
    } else if (field && (field.value || event.key !== "?")) {
      if (task.typing?.(event)) event.preventDefault();
    } else if (event.key === "?" && single.checked) {
      event.preventDefault();
      show();
    } else if (!field && (single.checked || event.key.length > 1) && task.key?.(event)) event.preventDefault();
  });
}

function startEnd(end) {
  if (end.dataset.whose) {
    const outbox = new Outbox(end.dataset.whose, end.dataset.csrf);
    sendEarlier(outbox, outbox.entries());
  }
  if (end.dataset.waiting) setTimeout(() => location.assign("/"), 60_000);
}

addEventListener("pageshow", (event) => event.persisted && location.reload()); // what the back button brings is as old as it looks
if ($("item")) startItem($("item"));
else if ($("end")) startEnd($("end"));
