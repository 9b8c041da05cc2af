import { aborted } from "../terminal/interruption.js";

/** Ends a command's watch from outside: Temporal is lost for good, or the user stops it. */
export class WatchEnd {
  #lost: { readonly error: unknown } | undefined;
  #stopped = false;
  readonly #waiting = new Set<() => void>();

  /** @param lost Rejects when Temporal is lost. */
  constructor(lost: Promise<never>, signal: AbortSignal) {
    lost.catch((error: unknown) => {
      this.#lost = { error };
      this.#wake();
    });
    void aborted(signal).then(() => {
      this.#stopped = true;
      this.#wake();
    });
  }

  /**
   * Returns the result of some work; undefined where the user stops first. `Promise.race` would keep each such result as
   * long as the promises that it is raced with stay open: megabytes per minute, for days.
   *
   * @throws the error by which Temporal was lost.
   */
  before<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(end);
        if (this.#lost !== undefined) reject(this.#lost.error);
        else resolve(undefined);
      };
      this.#waiting.add(end);
      work.then(resolve, reject).finally(() => this.#waiting.delete(end));
      if (this.#lost !== undefined || this.#stopped) end();
    });
  }

  #wake(): void {
    for (const end of [...this.#waiting]) end();
  }
}
