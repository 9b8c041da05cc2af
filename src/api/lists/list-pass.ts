/** One page of a list as a reading of it sees it. */
export interface ReadPage<Item> {
  readonly items: readonly Item[];
  readonly ids: readonly string[];
  /** Rows of the whole list, where the service says so. */
  readonly total?: number;
  /** The page to read then; `"moved"` when the list can't be what it was. */
  readonly next: number | "end" | "moved";
}

/** One pass over the pages of a list that may move meanwhile: a total that changes or a row that comes again shows it. */
export class ListPass {
  readonly #ids = new Set<string>();
  #total: number | undefined;
  #before = 0;
  #repeated = 0;

  /** Rows of the pages seen so far. */
  get before(): number {
    return this.#before;
  }

  /** Rows that came more than once. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Whether a page can belong to the list that this pass began with. */
  continuesWith({ total }: ReadPage<unknown>): boolean {
    return this.#before === 0 || total === this.#total;
  }

  /** Takes the next page and says which one follows; `"moved"` where the pass must begin again. */
  take(page: ReadPage<unknown>): number | "end" | "moved" {
    if (!this.continuesWith(page)) return "moved";
    const { ids, total, next } = page;
    this.#total = total;
    this.#before += ids.length;
    const repeated = this.#repeated;
    for (const id of ids) {
      if (this.#ids.has(id)) this.#repeated += 1;
      this.#ids.add(id);
    }
    return this.#repeated > repeated ? "moved" : next;
  }
}
