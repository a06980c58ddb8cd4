// What was said and what the server has not acknowledged yet. An entry lies in localStorage before it is sent and until it is acknowledged, under an
// id of its own, so that it may be sent any number of times, by any tab, and is written once. Entries and drafts of each judge lie apart: another
// judge in the same browser never sends them.

const TRY_SECONDS = [0.25, 0.5, 1, 2, 4, 8, 15]; // between tries; the last one for ever
const MOST_WAIT_SECONDS = 60; // whatever a server asks for
const PATIENCE_SECONDS = 15; // for an answer

/** A random UUID, version 4. `crypto.randomUUID` is there only over https and on localhost. */
export function uuid() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Drafts and unsent entries of one judge. Where the browser keeps nothing, what is put lives as long as the page; `put` tells. */
export class Outbox {
  constructor(whose, csrf) {
    this.prefix = `cloze-gen/${whose}/`;
    this.csrf = csrf;
    this.unkept = new Map();
  }

  /** Keep an entry; false where the browser does not, being full or forbidden to. */
  put(entry) {
    if (this.#keep(`out/${entry.id}`, entry)) {
      this.unkept.delete(entry.id);
      return true;
    }
    this.unkept.set(entry.id, entry);
    return false;
  }

  drop(id) {
    this.unkept.delete(id);
    this.#forget(`out/${id}`);
  }

  /** All entries, the oldest first. */
  entries() {
    const found = [...this.unkept.values()];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const key = localStorage.key(i);
        const entry = key.startsWith(`${this.prefix}out/`) ? this.#read(key) : null;
        if (entry && typeof entry.id === "string" && typeof entry.assignment === "string" && !this.unkept.has(entry.id)) found.push(entry);
      }
    } catch {
      // a browser that keeps nothing
    }
    return found.sort((one, other) => one.at - other.at);
  }

  draft(assignment) {
    return this.#read(`${this.prefix}draft/${assignment}`);
  }

  keepDraft(assignment, draft) {
    return this.#keep(`draft/${assignment}`, draft);
  }

  dropDraft(assignment) {
    this.#forget(`draft/${assignment}`);
  }

  /**
   * Send an entry once.
   *
   * Resolves to one of: {is: "taken", next}; {is: "elsewhere", current}, another tab said otherwise; {is: "nobody"}, the session or its link has
   * ended; {is: "refused", words}, no such verdict is wanted; {is: "later", seconds}, there was no answer.
   */
  async send({ id, assignment, replaces, said, seconds }) {
    let answer, body;
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), PATIENCE_SECONDS * 1000);
    try {
      answer = await fetch("/verdict", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": this.csrf },
        body: JSON.stringify({ id, assignment, replaces, said, seconds }),
        credentials: "same-origin",
        redirect: "error",
        signal: over.signal,
      });
      body = await answer.json().catch(() => null);
    } catch {
      return { is: "later", seconds: 0 };
    } finally {
      clearTimeout(timer);
    }
    if (answer.status === 200 && body && isPlace(body.next)) return { is: "taken", next: body.next };
    if (answer.status === 409 && body) return { is: "elsewhere", current: body.current ?? { id: "", said: null } };
    if (answer.status === 401 || answer.status === 403) return { is: "nobody" };
    if (answer.status >= 400 && answer.status < 500 && ![408, 425, 429].includes(answer.status)) {
      return { is: "refused", words: (body && typeof body.error === "string" && body.error) || `status ${answer.status}` };
    }
    return { is: "later", seconds: Math.min(Number(answer.headers.get("Retry-After")) || 0, MOST_WAIT_SECONDS) };
  }

  /** Send an entry until there is an answer; `waits(seconds)` is called before each pause, and `hurry` resolved ends the pause. */
  async deliver(entry, waits, hurried) {
    for (let tries = 0; ; tries++) {
      const outcome = await this.send(entry);
      if (outcome.is !== "later") return outcome;
      const seconds = Math.max(TRY_SECONDS[Math.min(tries, TRY_SECONDS.length - 1)], outcome.seconds);
      waits(seconds);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, seconds * 1000)), hurried()]);
    }
  }

  #keep(name, value) {
    try {
      localStorage.setItem(this.prefix + name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }

  #forget(name) {
    try {
      localStorage.removeItem(this.prefix + name);
    } catch {
      // nothing was kept
    }
  }

  #read(key) {
    try {
      const value = JSON.parse(localStorage.getItem(key));
      return value !== null && typeof value === "object" ? value : null;
    } catch {
      return null;
    }
  }
}

/** An address on this server; a page of somebody's between (a hotel's network) sends anything. */
function isPlace(next) {
  return typeof next === "string" && /^\/(?![/\\])/.test(next);
}
