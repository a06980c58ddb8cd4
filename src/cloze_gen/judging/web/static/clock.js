// How long an item takes.

/** The seconds during which this item was visible; continues from a draft. */
export class Clock {
  constructor(before) {
    this.before = before;
    this.since = document.visibilityState === "visible" ? performance.now() : null;
    document.addEventListener("visibilitychange", () => {
      this.before = this.seconds();
      this.since = document.visibilityState === "visible" ? performance.now() : null;
    });
  }

  seconds() {
    return this.before + (this.since === null ? 0 : (performance.now() - this.since) / 1000);
  }
}
