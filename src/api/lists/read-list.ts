import type { ApiClient, CallOptions } from "../http/client.js";
import { SchemaError } from "../http/errors.js";
import type { ListForm, Operation, ParamsOf } from "../operations/operation.js";
import type { ReadPage } from "./list-pass.js";
import { PagedList } from "./paged-list.js";

/** The envelope of a list, as far as paging goes. */
type Envelope = Readonly<Record<string, unknown>>;

/**
 * Goes through a paged list of the service; `page` is the reader's, everything else of `params` stays as it
 * is (docs/reference/service.md, "Onboarding lists" and "Transaction lists").
 *
 * @throws SchemaError while reading, when the service gives a page that wasn't asked for or leads in a circle.
 * @throws TransientError (`list_moved`) when the list moved under every reading.
 */
export function readList<O extends Operation, Item = unknown>(
  client: ApiClient,
  operation: O,
  params: ParamsOf<O>,
  options?: CallOptions,
): PagedList<Item, Envelope> {
  const first = firstPage(operation);
  const { query } = params as { readonly query?: object };
  return new PagedList<Item, Envelope>({
    operation: operation.name,
    read: async (next, before) => {
      const page = next ?? first;
      const asked = { ...params, query: { ...query, page } } as ParamsOf<O>;
      const body = (await client.read(operation, asked, options)) as Envelope;
      return { ...listPage<Item>(operation, body, page, before), body };
    },
  });
}

/** The number to ask for first; undefined where the service's document says none. */
export function firstPage(operation: Operation): number | undefined {
  return formOf(operation).style === "total" ? 1 : undefined;
}

/**
 * What one answer of a paged list holds, and where the list continues.
 *
 * @param page the number that was asked for
 * @param before rows of the pages before it
 * @throws SchemaError when the service gives a page that wasn't asked for or leads in a circle.
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
  if (list === undefined) throw new TypeError(`${name} is no paged list`);
  return list;
}

// A row without an id is told from others by all it says.
function idOf(row: unknown, field: string): string {
  const id = typeof row === "object" && row !== null ? (row as Envelope)[field] : undefined;
  return typeof id === "string" ? `id:${id}` : `row:${JSON.stringify(row)}`;
}

type Rest = Pick<ReadPage<unknown>, "total" | "next">;

/** What `page`/`size`/`total` says about the rest: the end is where as many rows came as there are. */
function byTotal(operation: string, rows: number, body: Envelope, page = 1, before = 0): Rest {
  if (body.page !== page)
    throw new SchemaError({ operation, sent: true }, "page", "expected the page asked for");
  const total = body.total as number;
  const read = before + rows;
  const moved = read > total || (rows === 0 && read < total);
  return { total, next: moved ? "moved" : read === total ? "end" : page + 1 };
}

/** What `meta.next_page` says about the rest. */
function byNextPage(operation: string, body: Envelope, page = 0): Rest {
  const { next_page: next } = (body.meta ?? {}) as { next_page?: number | null };
  if (typeof next === "number" && next <= page) {
    throw new SchemaError(
      { operation, sent: true },
      "meta.next_page",
      "expected a page that wasn't read yet",
    );
  }
  return { next: next ?? "end" };
}
