// The page of one item: keys, the draft, saving and moving on. The tasks are in groom.js, guess.js, read.js and fill.js, each with
//   start(form, changed) -> { state(), restore(state), response(), key(event), ... }
// response() returns {response} for the server, or {missing, focus}. The others return whether they handled the key:
// key(event) outside text fields, typing(event) in a field, chord(event) with Ctrl or Alt, enter(event) before saving, erase() before going back, escape().

import { Clock } from "./clock.js";
import { remember } from "./keys.js";
import { Outbox, uuid } from "./outbox.js";

const KEYS_OFF = "cloze-gen/single-keys-off";
const $ = (id) => document.getElementById(id);

/** Show a message, which screen readers announce. kind: "" for news, "wrong" for an error of the judge, "waits" for a retry. */
function showStatus(words, kind = "") {
  $("status").textContent = words;
  $("status").dataset.kind = kind;
}

/** Resolves when a retry makes sense: the network is back, the page is visible again, or the judge presses "Try now". */
function hurried() {
  return new Promise((resolve) => {
    const over = new AbortController();
    const now = () => (over.abort(), resolve());
    addEventListener("online", now, { signal: over.signal });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && now(), { signal: over.signal });
    $("again")?.addEventListener("click", now, { signal: over.signal });
  });
}

/** Send what an earlier page could not send, and link to the items that were not accepted. */
async function sendEarlier(outbox, entries) {
  const refused = [];
  const waits = () => showStatus(`${entries.length} earlier answers are not sent yet. They are kept in this browser.`, "waits");
  for (const entry of entries) {
    const outcome = await outbox.deliver(entry, waits, hurried);
    if (outcome.is === "signed-out") return showStatus(SIGNED_OUT, "wrong");
    if (outcome.is === "taken") outbox.drop(entry.id);
    else refused.push(entry);
  }
  if (!refused.length) {
    if (entries.length) showStatus("All saved.");
    return;
  }
  const note = $("refused");
  if (!note) return;
  note.hidden = false;
  note.textContent = "Not saved, because the server refused it: ";
  refused.forEach((entry, at) => {
    const link = document.createElement("a");
    link.href = `/item/${encodeURIComponent(entry.assignment)}`;
    link.textContent = refused.length === 1 ? "open the item" : `open item ${at + 1}`;
    note.append(link, " ");
  });
}

const SIGNED_OUT =
  "Your link is no longer valid. Your answers are kept in this browser. Open your link again, or ask for a new one; then they are sent.";

async function startItem(form) {
  const { assignment, storageKey, task: name } = form.dataset;
  const { start } = await import(`./${name}.js`);
  const outbox = new Outbox(storageKey);
  const all = outbox.entries();
  const mine = all.filter((entry) => entry.assignment === assignment);
  const saved = form.dataset.response;
  let draft = outbox.draft(assignment);
  if (draft && draft.saved !== saved) draft = null; // another window has saved this item
  const clock = new Clock(Number(draft?.seconds) || 0);
  const task = start(form, () => {
    if (!busy) showStatus(""); // the judge is correcting the error
    keepDraft();
  });
  let busy = false;
  let touched = draft !== null;

  function keepDraft() {
    touched = true;
    if (!outbox.keepDraft(assignment, { state: task.state(), seconds: clock.seconds(), saved })) {
      showStatus("This browser cannot store your draft: its storage is full or blocked. Save before you leave this page.", "wrong");
    }
  }

  function lock(on) {
    busy = on;
    form.setAttribute("aria-busy", String(on));
    $("content").inert = on;
    $("save").disabled = on;
    $("again").hidden = true;
  }

  function save() {
    if (busy) return;
    const { response, missing, focus } = task.response();
    if (missing) {
      showStatus(missing, "wrong");
      focus?.focus();
      return;
    }
    const entry = { id: uuid(), assignment, response, seconds: Math.round(clock.seconds() * 10) / 10, at: Date.now() };
    const kept = outbox.put(entry);
    send([entry], kept);
  }

  async function send(entries, kept = true) {
    lock(true);
    showStatus("Saving…", "waits");
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
    showStatus("Saved.");
    location.assign(next);
  }

  function waits(seconds, kept) {
    const where = kept ? "Your answer is kept in this browser" : "Keep this page open";
    showStatus(`Not sent yet: the server does not reply. ${where}. It will be sent automatically.`, "waits");
    $("again").hidden = seconds < 1;
  }

  function notTaken(entry, outcome) {
    if (outcome.is === "signed-out") {
      showStatus(SIGNED_OUT, "wrong");
      form.setAttribute("aria-busy", "false");
      return;
    }
    lock(false);
    outbox.drop(entry.id);
    keepDraft();
    showStatus(`Not saved: ${outcome.words}`, "wrong");
  }

  function leave(event) {
    if (!busy) return;
    event.preventDefault();
    showStatus("Not sent yet. This page goes on automatically when the server replies.", "waits");
  }

  form.addEventListener("submit", (event) => (event.preventDefault(), save()));
  for (const link of form.querySelectorAll("a.button")) link.addEventListener("click", leave);
  addEventListener("pagehide", () => touched && !busy && keepDraft()); // to store the seconds
  startKeys(task, save);

  if (mine.length) {
    task.restore(mine.at(-1).response);
    send(mine);
  } else if (draft) task.restore(draft.state);
  else if (saved) task.restore(JSON.parse(saved));
  form.dataset.ready = "yes";
  const others = all.filter((entry) => entry.assignment !== assignment);
  if (others.length) sendEarlier(outbox, others);
}

/** Keyboard shortcuts. Text fields and buttons keep their own keys. */
function startKeys(task, save) {
  const help = $("help");
  const single = $("single-keys");
  remember(single, KEYS_OFF);
  const show = () => (help.showModal(), $("help-title").focus()); // at the title, not at the first control
  $("keys").addEventListener("click", show);

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || help.open) return;
    if (event.key === "Escape") return task.escape?.();
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (chord) return task.chord?.(event) && event.preventDefault();
    const at = event.target;
    const field = at.matches?.("input[type=text]") ? at : null;
    if (event.key === "Enter") {
      // Enter presses a button with keyboard focus, but not one that was clicked with the mouse.
      if (at.matches?.("button:focus-visible, a, summary:focus-visible, .bar button")) return;
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
  if (end.dataset.storageKey) {
    const outbox = new Outbox(end.dataset.storageKey);
    sendEarlier(outbox, outbox.entries());
  }
  if (end.dataset.waiting) setTimeout(() => location.assign("/"), 60_000);
}

addEventListener("pageshow", (event) => event.persisted && location.reload()); // the back button shows an old copy of the page
if ($("item")) startItem($("item"));
else if ($("end")) startEnd($("end"));
