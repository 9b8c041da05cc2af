import type { CallOptions } from "../http/call-options.js";
import type { ApiClient } from "../http/client.js";
import { SchemaError, TransientError } from "../http/errors.js";
import type { ListForm, Operation, ParamsOf } from "../operations/operation.js";

const MAX_RESTARTS = 5;

const MOST_PAGES = 1_000;

type Envelope = Readonly<Record<string, unknown>>;

/**
 * Reads a paged list (docs/reference/service.md, "Onboarding lists" and "Transaction lists"), each row once. A list that
 * moves meanwhile (another total, a row twice, rows missing) is read again.
 * @throws SchemaError for a wrong page, a circle, or a list without end
 * @throws TransientError (`list_moved`) when it moved in every reading
 */
export async function* readList<O extends Operation, Item = unknown>(
  client: Pick<ApiClient, "read">,
  operation: O,
  params: ParamsOf<O>,
  options?: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  const { query } = params as { readonly query?: object };
  const seen = new Set<string>();
  for (let restarts = 0; restarts <= MAX_RESTARTS; restarts += 1) {
    const pass = new ListPass();
    let next: ReturnType<ListPass["take"]> | undefined = firstPage(operation);
    while (typeof next !== "string") {
      const paged = { ...params, query: { ...query, page: next } } as ParamsOf<O>;
      const body = (await client.read(operation, paged, options)) as Envelope;
      const page: ReadPage<Item> = listPage<Item>(operation, body, next, pass.before);
      const { items, ids } = page;
      next = pass.take(page);
      yield* items.filter((_, index) => !seen.has(ids[index] ?? ""));
      for (const id of ids) seen.add(id);
    }
    if (next === "end") return;
  }
  throw new TransientError({ operation: operation.name, sent: true }, "list_moved");
}

/** Undefined where the contract names none. */
export function firstPage(operation: Operation): number | undefined {
  return formOf(operation).style === "total" ? 1 : undefined;
}

/**
 * Rows of one answer, and where the list continues.
 * @param page the number that was requested
 * @param before rows of earlier pages
 * @throws SchemaError for a wrong page, a circle, or a list without end
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

// A row without an id is identified by its content.
function idOf(row: unknown, field: string): string {
  const id = typeof row === "object" && row !== null ? (row as Envelope)[field] : undefined;
  return typeof id === "string" ? `id:${id}` : `row:${JSON.stringify(row)}`;
}

type Rest = Pick<ReadPage<unknown>, "total" | "next">;

/** The list ends once `total` rows came. */
function byTotal(operation: string, rows: number, body: Envelope, page = 1, before = 0): Rest {
  if (body.page !== page) throw wrongPage(operation, "page", "the page asked for");
  const total = body.total as number;
  const read = before + rows;
  const moved = read > total || (rows === 0 && read < total);
  return { total, next: moved ? "moved" : read === total ? "end" : page + 1 };
}

function byNextPage(operation: string, body: Envelope, page = 0): Rest {
  const { next_page: next } = (body.meta ?? {}) as { next_page?: number | null };
  if (next == null) return { next: "end" };
  if (next <= page) throw wrongPage(operation, "meta.next_page", "a page that wasn't read yet");
  if (next > MOST_PAGES) throw wrongPage(operation, "meta.next_page", `at most ${MOST_PAGES} pages`);
  return { next };
}

function wrongPage(operation: string, path: string, expected: string): SchemaError {
  return new SchemaError({ operation, sent: true }, path, `expected ${expected}`);
}

export interface ReadPage<Item> {
  readonly items: readonly Item[];
  readonly ids: readonly string[];
  /** Of the whole list, where the service says so. */
  readonly total?: number;
  /** `"moved"`: the list must have changed. */
  readonly next: number | "end" | "moved";
}

/** One pass over a list; another total or a row twice shows that it moved. */
export class ListPass {
  readonly #ids = new Set<string>();
  #total: number | undefined;
  #before = 0;

  get before(): number {
    return this.#before;
  }

  has(ids: readonly string[]): boolean {
    return ids.every((id) => this.#ids.has(id));
  }

  /**
   * Takes a page and returns the next; `"moved"`: start again; `"twice"`: an id came again, by a move unless each pass
   * ends so.
   */
  take({ ids, total, next }: ReadPage<unknown>): number | "end" | "moved" | "twice" {
    if (this.#before > 0 && total !== this.#total) return "moved";
    this.#total = total;
    this.#before += ids.length;
    for (const id of ids) this.#ids.add(id);
    return this.#ids.size < this.#before ? "twice" : next;
  }
}
