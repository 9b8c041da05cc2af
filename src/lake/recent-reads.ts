/** Keeps what was read last under names whose content never changes. */
export class RecentReads<T> {
  readonly #kept = new Map<string, Promise<T>>();

  constructor(private readonly most: number) {}

  /** Gives what a name has, and reads it where it is not kept. What could not be read is asked for again. */
  of(name: string, read: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    const found = kept ?? read();
    this.#kept.set(name, found);
    if (kept === undefined) found.catch(() => this.#kept.delete(name));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.most && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }
}
