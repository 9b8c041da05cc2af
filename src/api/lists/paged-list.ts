import { TransientError } from "../http/errors.js";

const MAX_RESTARTS = 5;

/** One page of a list as a reading of it sees it. */
export interface ReadPage<Item, Body> {
  readonly items: readonly Item[];
  readonly body: Body;
  /** Rows of the whole list, where the service says so. */
  readonly total?: number;
  /** The page to read then; `"moved"` when the list can't be what it was. */
  readonly next: number | "end" | "moved";
}

/** Where the pages of a list come from. */
export interface ListSource<Item, Body> {
  /** Name of the operation, for errors. */
  readonly operation: string;
  /** Reads a page, the first one where none is named; `before` counts the rows of the pages before it in this pass. */
  read(page: number | undefined, before: number): Promise<ReadPage<Item, Body>>;
  idOf(item: Item): string;
}

/** One page with the rows that were not given before. */
export interface ListPage<Item, Body> {
  readonly items: readonly Item[];
  readonly body: Body;
  /** Its place in the list, from 1. */
  readonly page: number;
}

/** How a reading of a list went. */
export interface ListReport {
  /** Pages read, those of all passes. */
  readonly pages: number;
  /** How often the list moved under the reader and was read again from its start. */
  readonly restarts: number;
  /** Rows that came more than once and were given once. */
  readonly duplicates: number;
}

/**
 * A list that is read page by page and may move meanwhile: a total that changes, a row that comes again or
 * rows that are missing at the end start it again from its first page. Each row is given once, by its id; a
 * row that left the list after it was given stays given, and {@link report} says that the list moved.
 */
export class PagedList<Item, Body> implements AsyncIterable<Item> {
  readonly #source: ListSource<Item, Body>;
  #pages = 0;
  #restarts = 0;
  #duplicates = 0;

  constructor(source: ListSource<Item, Body>) {
    this.#source = source;
  }

  /** How the reading has gone so far. */
  get report(): ListReport {
    return { pages: this.#pages, restarts: this.#restarts, duplicates: this.#duplicates };
  }

  /** Every row of the list, once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /**
   * Every page with what is new in it.
   *
   * @throws TransientError (`list_moved`) when the list moved under every reading.
   */
  async *pages(): AsyncGenerator<ListPage<Item, Body>, void, undefined> {
    const given = new Set<string>();
    while (yield* this.#pass(given)) {
      if (this.#restarts === MAX_RESTARTS) {
        throw new TransientError({ operation: this.#source.operation, sent: true }, "list_moved");
      }
      this.#restarts += 1;
    }
  }

  // Gives true when the list moved and must be read again.
  async *#pass(given: Set<string>): AsyncGenerator<ListPage<Item, Body>, boolean, undefined> {
    const inPass = new Set<string>();
    let total: number | undefined;
    let before = 0;
    let next: number | undefined;
    for (let page = 1; ; page += 1) {
      const read: ReadPage<Item, Body> = await this.#source.read(next, before);
      this.#pages += 1;
      if (before > 0 && read.total !== total) return true;
      total = read.total;
      before += read.items.length;
      const ids = read.items.map((item) => this.#source.idOf(item));
      const repeated = ids.some((id) => inPass.has(id));
      yield { items: this.#fresh(read.items, ids, given, inPass), body: read.body, page };
      if (repeated || read.next === "moved") return true;
      if (read.next === "end") return false;
      next = read.next;
    }
  }

  #fresh(items: readonly Item[], ids: readonly string[], given: Set<string>, inPass: Set<string>): Item[] {
    return items.filter((_, index) => {
      const id = ids[index] ?? "";
      if (inPass.has(id)) this.#duplicates += 1;
      inPass.add(id);
      if (given.has(id)) return false;
      given.add(id);
      return true;
    });
  }
}
