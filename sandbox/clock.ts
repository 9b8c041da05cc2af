interface Appointment {
  readonly at: number;
  /** Removed when it is cancelled. */
  action: (() => void) | undefined;
}

const LONGEST_TIMER_MS = 2_000_000_000;

/** Time in the stand-in: it runs as real time does, can be advanced, and can be frozen. Milliseconds since 1970. */
export class Clock {
  #offset = 0;
  #frozenAt: number | undefined;
  #appointments: Appointment[] = [];
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor({ now, frozen = false }: { now?: string; frozen?: boolean } = {}) {
    const at = now === undefined ? Date.now() : Date.parse(now);
    if (Number.isNaN(at)) throw new RangeError("clock: not a time; give one as ISO 8601");
    if (frozen) this.#frozenAt = at;
    else this.#offset = at - Date.now();
  }

  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset;
  }

  /** An instant as the service writes it. */
  text(at = this.now()): string {
    return new Date(at).toISOString();
  }

  /** Does something so many milliseconds later; the result cancels it. */
  after(ms: number, action: () => void): () => void {
    if (this.#stopped) return () => undefined;
    const appointment: Appointment = { at: this.now() + Math.max(0, ms), action };
    const index = this.#placeOf(appointment.at);
    this.#appointments.splice(index, 0, appointment);
    if (index === 0) this.#arm();
    return () => {
      appointment.action = undefined;
    };
  }

  /** Advances time; what falls due on the way is done in its order, each at its own time. */
  advance(ms: number): void {
    const target = this.now() + ms;
    this.#runUntil(target);
    this.#set(Math.max(target, this.now()));
    this.#arm();
  }

  /** Stops time where it is. */
  freeze(): void {
    this.#frozenAt = this.now();
    this.#arm();
  }

  /** Lets time run again from where it is. */
  thaw(): void {
    this.#offset = this.now() - Date.now();
    this.#frozenAt = undefined;
    this.#arm();
  }

  /** Drops everything that is still due. */
  stop(): void {
    this.#stopped = true;
    this.#appointments = [];
    this.#arm();
  }

  /** After everything due no later: tens of thousands may be waiting, so a search replaces a sort. */
  #placeOf(at: number): number {
    let [from, to] = [0, this.#appointments.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#appointments[middle]!.at <= at) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #set(at: number): void {
    if (this.#frozenAt === undefined) this.#offset = at - Date.now();
    else this.#frozenAt = at;
  }

  #runUntil(target: number): void {
    for (let next = this.#appointments[0]; next && next.at <= target; next = this.#appointments[0]) {
      this.#appointments.shift();
      if (next.at > this.now()) this.#set(next.at);
      next.action?.();
    }
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#appointments[0];
    if (!next || this.#frozenAt !== undefined || this.#stopped) return;
    const wait = Math.min(Math.max(0, next.at - this.now()), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#runUntil(this.now());
      this.#arm();
    }, wait);
  }
}
