import type { ApiClient, CallOptions } from "../http/client.js";
import { SchemaError, TransientError } from "../http/errors.js";
import type { ListForm, Operation, ParamsOf } from "../operations/operation.js";

const MAX_RESTARTS = 5;

/** A list of onboardings with more pages than this has no end. */
const MOST_PAGES = 1_000;

/** The envelope of a list, as far as paging goes. */
type Envelope = Readonly<Record<string, unknown>>;

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly body: Envelope;
  /** Its place in the list, from 1. */
  readonly page: number;
}

/**
 * Reads a paged list of the service. `page` is set by the reader; everything else of `params` stays as it is
 * (docs/reference/service.md, "Onboarding lists" and "Transaction lists").
 *
 * @throws SchemaError while reading, when the service gives a page that wasn't asked for, leads in a circle or never ends.
 * @throws TransientError (`list_moved`) when the list moved under every reading.
 */
export function readList<O extends Operation, Item = unknown>(
  client: Pick<ApiClient, "read">,
  operation: O,
  params: ParamsOf<O>,
  options?: CallOptions,
): PagedList<O, Item> {
  return new PagedList<O, Item>(client, operation, params, options);
}

/**
 * A list that may change while it is read: a total that changes, a row that comes again or rows that are missing at
 * the end start it again from its first page. Each row is given once, by its id; a row that left the list after it
 * was given stays given, and `report` shows that the list moved.
 */
class PagedList<O extends Operation, Item> implements AsyncIterable<Item> {
  readonly #first: number | undefined;
  #pages = 0;
  #restarts = 0;
  #duplicates = 0;

  constructor(
    private readonly client: Pick<ApiClient, "read">,
    private readonly operation: O,
    private readonly params: ParamsOf<O>,
    private readonly options: CallOptions | undefined,
  ) {
    this.#first = firstPage(operation);
  }

  /** Pages read in all passes, restarts because the list moved, and rows that came more than once. */
  get report(): { readonly pages: number; readonly restarts: number; readonly duplicates: number } {
    return { pages: this.#pages, restarts: this.#restarts, duplicates: this.#duplicates };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  async *pages(): AsyncGenerator<ListPage<Item>, void, undefined> {
    const given = new Set<string>();
    while ((yield* this.#pass(given)) === "moved") {
      if (this.#restarts === MAX_RESTARTS) {
        throw new TransientError({ operation: this.operation.name, sent: true }, "list_moved");
      }
      this.#restarts += 1;
    }
  }

  async *#pass(given: Set<string>): AsyncGenerator<ListPage<Item>, "moved" | "end", undefined> {
    const pass = new ListPass();
    let next: number | undefined;
    for (let page = 1; ; page += 1) {
      const { body, ...read } = await this.#read(next ?? this.#first, pass.before);
      this.#pages += 1;
      if (!pass.continuesWith(read)) return "moved";
      const after = pass.take(read);
      this.#duplicates += pass.repeated;
      yield { items: read.items.filter((_, index) => isNew(read.ids[index] ?? "", given)), body, page };
      if (typeof after === "string") return after;
      next = after;
    }
  }

  async #read(
    page: number | undefined,
    before: number,
  ): Promise<ReadPage<Item> & { readonly body: Envelope }> {
    const { client, operation, params, options } = this;
    const { query } = params as { readonly query?: object };
    const asked = { ...params, query: { ...query, page } } as ParamsOf<O>;
    const body = (await client.read(operation, asked, options)) as Envelope;
    return { ...listPage<Item>(operation, body, page, before), body };
  }
}

function isNew(id: string, given: Set<string>): boolean {
  const size = given.size;
  return given.add(id).size > size;
}

/** The number of the first page; undefined where the service's document names none. */
export function firstPage(operation: Operation): number | undefined {
  return formOf(operation).style === "total" ? 1 : undefined;
}

/**
 * What one answer of a paged list holds, and where the list continues.
 *
 * @param page the number that was asked for
 * @param before rows of the pages before it
 * @throws SchemaError when the service gives a page that wasn't asked for, leads in a circle or never ends.
 */
export function listPage<Item = unknown>(
  operation: Operation,
  body: Envelope,
  page: number | undefined,
  before: number,
): ReadPage<Item> {
  const form = formOf(operation);
  const items = body[form.rows] as Item[];
  const ids = items.map((row) => idOf(row, form.id));
  const rest =
    form.style === "total"
      ? byTotal(operation.name, items.length, body, page, before)
      : byNextPage(operation.name, body, page);
  return { items, ids, ...rest };
}

function formOf({ list, name }: Operation): ListForm {
  if (list === undefined) throw new TypeError(`${name} is not a paged list`);
  return list;
}

// A row without an id is identified by its whole content.
function idOf(row: unknown, field: string): string {
  const id = typeof row === "object" && row !== null ? (row as Envelope)[field] : undefined;
  return typeof id === "string" ? `id:${id}` : `row:${JSON.stringify(row)}`;
}

type Rest = Pick<ReadPage<unknown>, "total" | "next">;

/** Continues by `page`/`size`/`total`: the list ends once `total` rows came. */
function byTotal(operation: string, rows: number, body: Envelope, page = 1, before = 0): Rest {
  if (body.page !== page)
    throw new SchemaError({ operation, sent: true }, "page", "expected the page asked for");
  const total = body.total as number;
  const read = before + rows;
  const moved = read > total || (rows === 0 && read < total);
  return { total, next: moved ? "moved" : read === total ? "end" : page + 1 };
}

function byNextPage(operation: string, body: Envelope, page = 0): Rest {
  const { next_page: next } = (body.meta ?? {}) as { next_page?: number | null };
  const problem = typeof next === "number" ? nextPageProblem(next, page) : undefined;
  if (problem !== undefined) throw new SchemaError({ operation, sent: true }, "meta.next_page", problem);
  return { next: next ?? "end" };
}

/** Why a list can't continue with a page; undefined where it can. */
function nextPageProblem(next: number, page: number): string | undefined {
  if (next <= page) return "expected a page that wasn't read yet";
  return next > MOST_PAGES ? `expected at most ${MOST_PAGES} pages` : undefined;
}

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
