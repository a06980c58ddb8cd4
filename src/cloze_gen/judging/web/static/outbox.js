// Responses that the server has not acknowledged yet. An entry is kept in localStorage from before it is sent until it is acknowledged. It has its own
// id, so any tab may send it any number of times, and the server stores it once. Each judge has separate entries and drafts: another judge in the same
// browser never sends them.

const TRY_SECONDS = [0.25, 0.5, 1, 2, 4, 8, 15]; // pauses between tries; the last one repeats
const MOST_WAIT_SECONDS = 60; // limit for Retry-After
const TIMEOUT_SECONDS = 15; // of a request

/** A random UUID, version 4. `crypto.randomUUID` exists only over https and on localhost. */
export function uuid() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Drafts and unsent entries of one judge. If the browser does not store them, they last as long as the page, and `put` returns false. */
export class Outbox {
  constructor(storageKey) {
    this.prefix = `cloze-gen/${storageKey}/`;
    this.unkept = new Map();
  }

  /** Store an entry; false if the browser cannot, because its storage is full or blocked. */
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
      // no storage
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
   * Resolves to one of: {is: "taken", next}; {is: "signed-out"}: the link is not valid;
   * {is: "refused", words}: the answer is not valid; {is: "later", seconds}: the server did not reply.
   */
  async send({ id, assignment, response, seconds }) {
    let answer, body;
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), TIMEOUT_SECONDS * 1000);
    try {
      answer = await fetch("/verdict", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id, assignment, response, seconds }),
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
    if (answer.status === 403) return { is: "signed-out" };
    if (answer.status >= 400 && answer.status < 500 && ![408, 425, 429].includes(answer.status)) {
      return { is: "refused", words: (body && typeof body.error === "string" && body.error) || `status ${answer.status}` };
    }
    return { is: "later", seconds: Math.min(Number(answer.headers.get("Retry-After")) || 0, MOST_WAIT_SECONDS) };
  }

  /** Send an entry until the server replies. Calls `waits(seconds)` before each pause; the promise of `hurried()` ends a pause early. */
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
      // nothing was stored
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

/** Whether `next` is an address on this server; a login page of a public network may reply with anything. */
function isPlace(next) {
  return typeof next === "string" && /^\/(?![/\\])/.test(next);
}
