/** Sends things together: one bundle at a time, each with all that came while the one before was under way. */
export class Bundles<T> {
  readonly #waiting: T[] = [];
  /** The bundle that will carry what waits, and the end of the one before it. */
  #next: Promise<void> | undefined;
  #sent: Promise<void> = Promise.resolve();

  constructor(private readonly send: (bundle: readonly T[]) => Promise<void>) {}

  /** Resolves once they are sent; rejects where their bundle could not be sent. */
  add(...things: readonly T[]): Promise<void> {
    this.#waiting.push(...things);
    this.#next ??= this.#sent.then(() => {
      this.#next = undefined;
      return this.send(this.#waiting.splice(0));
    });
    this.#sent = this.#next.catch(() => undefined);
    return this.#next;
  }
}
