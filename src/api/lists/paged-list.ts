import { TransientError } from "../http/errors.js";
import { ListPass, type ReadPage } from "./list-pass.js";

const MAX_RESTARTS = 5;

/** Where the pages of a list come from. */
interface ListSource<Item, Body> {
  /** Name of the operation, for errors. */
  readonly operation: string;
  /** Reads a page, the first one where none is named; `before` counts the rows of the pages before it in this pass. */
  read(page: number | undefined, before: number): Promise<ReadPage<Item> & { readonly body: Body }>;
}

/** One page with the rows that were not given before. */
interface ListPage<Item, Body> {
  readonly items: readonly Item[];
  readonly body: Body;
  /** Its place in the list, from 1. */
  readonly page: number;
}

/** How a reading of a list went. */
interface ListReport {
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
    const pass = new ListPass();
    let next: number | undefined;
    for (let page = 1; ; page += 1) {
      const read = await this.#source.read(next, pass.before);
      this.#pages += 1;
      if (!pass.continuesWith(read)) return true;
      const after = pass.take(read);
      this.#duplicates += pass.repeated;
      yield { items: fresh(read, given), body: read.body, page };
      if (after === "moved") return true;
      if (after === "end") return false;
      next = after;
    }
  }
}

function fresh<Item>({ items, ids }: ReadPage<Item>, given: Set<string>): Item[] {
  return items.filter((_, index) => {
    const id = ids[index] ?? "";
    if (given.has(id)) return false;
    given.add(id);
    return true;
  });
}
