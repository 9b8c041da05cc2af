import type { CallOptions } from "../http/call-options.js";
import type { ApiClient } from "../http/client.js";
import { SchemaError, TransientError } from "../http/errors.js";
import type { ListForm, Operation, ParamsOf } from "../operations/operation.js";

const MAX_RESTARTS = 5;

/** A list of onboardings with more pages than this has no end. */
const MOST_PAGES = 1_000;

type Envelope = Readonly<Record<string, unknown>>;

/**
 * Reads a paged list of the service. `page` is set by the reader; everything else of `params` stays as it is
 * (docs/reference/service.md, "Onboarding lists" and "Transaction lists"). The list may change while it is read: a total
 * that changes, a row that comes again or rows that are missing at the end start it again from its first page. Each row
 * is given once, by its id; a row that left the list after it was given stays given.
 *
 * @throws SchemaError while reading, when the service gives a page that wasn't asked for, leads in a circle or never ends.
 * @throws TransientError (`list_moved`) when the list moved under every reading.
 */
export async function* readList<O extends Operation, Item = unknown>(
  client: Pick<ApiClient, "read">,
  operation: O,
  params: ParamsOf<O>,
  options?: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  const { query } = params as { readonly query?: object };
  const given = new Set<string>();
  for (let restarts = 0; restarts <= MAX_RESTARTS; restarts += 1) {
    const pass = new ListPass();
    let next: ReturnType<ListPass["take"]> | undefined = firstPage(operation);
    while (typeof next !== "string") {
      const asked = { ...params, query: { ...query, page: next } } as ParamsOf<O>;
      const body = (await client.read(operation, asked, options)) as Envelope;
      const page: ReadPage<Item> = listPage<Item>(operation, body, next, pass.before);
      const { items, ids } = page;
      next = pass.take(page);
      yield* items.filter((_, index) => !given.has(ids[index] ?? ""));
      for (const id of ids) given.add(id);
    }
    if (next === "end") return;
  }
  throw new TransientError({ operation: operation.name, sent: true }, "list_moved");
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

  /** Rows of the pages so far. */
  get before(): number {
    return this.#before;
  }

  /** Whether all of these rows came in this pass. */
  has(ids: readonly string[]): boolean {
    return ids.every((id) => this.#ids.has(id));
  }

  /**
   * Takes the next page and returns the one that follows; `"moved"` where the pass must start again, `"twice"` where an id
   * came again: a list that moved, unless each pass ends so.
   */
  take({ ids, total, next }: ReadPage<unknown>): number | "end" | "moved" | "twice" {
    if (this.#before > 0 && total !== this.#total) return "moved";
    this.#total = total;
    this.#before += ids.length;
    for (const id of ids) this.#ids.add(id);
    return this.#ids.size < this.#before ? "twice" : next;
  }
}
