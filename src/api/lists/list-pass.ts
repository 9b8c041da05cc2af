export interface ReadPage<Item> {
  readonly items: readonly Item[];
  readonly ids: readonly string[];
  /** Rows of the whole list, where the service says so. */
  readonly total?: number;
  /** The page to read next; `"moved"` when the list must have changed. */
  readonly next: number | "end" | "moved";
}

/** One pass over the pages of a list. A total that changes or a row that comes again shows that the list moved. */
export class ListPass {
  readonly #ids = new Set<string>();
  #total: number | undefined;
  #before = 0;

  get before(): number {
    return this.#before;
  }

  get repeated(): number {
    return this.#before - this.#ids.size;
  }

  /** Whether a page can belong to the list that this pass began with. */
  continuesWith({ total }: ReadPage<unknown>): boolean {
    return this.#before === 0 || total === this.#total;
  }

  /** Whether all of these rows came in this pass. */
  has(ids: readonly string[]): boolean {
    return ids.every((id) => this.#ids.has(id));
  }

  /** Takes the next page and returns the one that follows; `"moved"` where the pass must start again. */
  take(page: ReadPage<unknown>): number | "end" | "moved" {
    if (!this.continuesWith(page)) return "moved";
    const { ids, total, next } = page;
    const repeated = this.repeated;
    this.#total = total;
    this.#before += ids.length;
    for (const id of ids) this.#ids.add(id);
    return this.repeated > repeated ? "moved" : next;
  }
}
