/** As many are remembered as anybody may send twice, by a second click or by loading the answer again. */
const MOST_REMEMBERED = 1_000;

/** Does what a form asks for once, however often that form is sent. */
export class SentForms<Done> {
  readonly #done = new Map<string, Promise<Done>>();

  /** @returns what came of it the first time; what failed is done again */
  once(token: string, work: () => Promise<Done>): Promise<Done> {
    const known = this.#done.get(token);
    if (known !== undefined) return known;
    const done = work();
    this.#done.set(token, done);
    done.catch(() => this.#done.delete(token));
    const [oldest] = this.#done.keys();
    if (this.#done.size > MOST_REMEMBERED && oldest !== undefined) this.#done.delete(oldest);
    return done;
  }
}
