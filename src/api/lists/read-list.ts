import type { ApiClient, CallOptions } from "../http/client.js";
import { SchemaError } from "../http/errors.js";
import type { ListForm, Operation, ParamsOf } from "../operations/operation.js";
import { PagedList, type ReadPage } from "./paged-list.js";

/** The envelope of a list, as far as paging goes. */
type Envelope = Readonly<Record<string, unknown>>;

/**
 * Goes through a paged list of the service; `page` is the reader's, everything else of `params` stays as it
 * is (docs/service.md, "Onboarding lists" and "Transaction lists").
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
  const { list, name } = operation;
  if (list === undefined) throw new TypeError(`${name} is no paged list`);
  const { query } = params as { readonly query?: object };
  const style = STYLES[list.style];
  return new PagedList<Item, Envelope>({
    operation: name,
    idOf: (row) => idOf(row, list.id),
    read: async (next, before) => {
      const page = next ?? style.first;
      const asked = { ...params, query: { ...query, page } } as ParamsOf<O>;
      const body = (await client.read(operation, asked, options)) as Envelope;
      return style.read<Item>(name, list, body, page, before);
    },
  });
}

// A row without an id is told from others by all it says.
function idOf(row: unknown, field: string): string {
  const id = typeof row === "object" && row !== null ? (row as Envelope)[field] : undefined;
  return typeof id === "string" ? `id:${id}` : `row:${JSON.stringify(row)}`;
}

// The document says only of one style which number the first page has.
const STYLES = {
  total: { first: 1, read: byTotal },
  next_page: { first: undefined, read: byNextPage },
} as const;

/** What `page`/`size`/`total` says about the rest: the end is where as many rows came as there are. */
function byTotal<Item>(
  operation: string,
  { rows }: ListForm,
  body: Envelope,
  page = 1,
  before = 0,
): ReadPage<Item, Envelope> {
  if (body.page !== page)
    throw new SchemaError({ operation, sent: true }, "page", "expected the page asked for");
  const items = body[rows] as Item[];
  const total = body.total as number;
  const read = before + items.length;
  const moved = read > total || (items.length === 0 && read < total);
  return { items, body, total, next: moved ? "moved" : read === total ? "end" : page + 1 };
}

/** What `meta.next_page` says about the rest. */
function byNextPage<Item>(
  operation: string,
  { rows }: ListForm,
  body: Envelope,
  page = 0,
): ReadPage<Item, Envelope> {
  const { next_page: next } = (body.meta ?? {}) as { next_page?: number | null };
  if (typeof next === "number" && next <= page) {
    throw new SchemaError(
      { operation, sent: true },
      "meta.next_page",
      "expected a page that wasn't read yet",
    );
  }
  return { items: body[rows] as Item[], body, next: next ?? "end" };
}
