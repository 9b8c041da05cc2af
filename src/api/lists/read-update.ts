import type { ApiClient, CallOptions } from "../http/client.js";
import { RejectedError, SchemaError } from "../http/errors.js";
import { syncTransactions } from "../operations/bank-data.js";
import type { ResponseOf } from "../operations/operation.js";

const MAX_RESTARTS = 5;

interface UpdateStart {
  readonly link_id: string;
  /** Left out for the complete history. */
  readonly cursor?: string | undefined;
  readonly size?: number | undefined;
}

/** One page of an update. When `pass` grows, everything of the pass before is void. */
interface UpdatePage {
  readonly pass: number;
  readonly page: number;
  readonly body: ResponseOf<typeof syncTransactions>;
}

/**
 * Goes through one update of a link's transactions, from a cursor to `has_more: false`
 * (docs/reference/service.md, "Sync operation"). A refusal in its middle means that the log changed: it is read again
 * from its first cursor.
 *
 * @throws SchemaError when more is promised without a cursor that is new.
 * @throws RejectedError when its first page is refused, or the log changed under every reading.
 */
export async function* readUpdate(
  client: ApiClient,
  { link_id, cursor: first, size }: UpdateStart,
  options?: CallOptions,
): AsyncGenerator<UpdatePage, void, undefined> {
  for (let pass = 0; ; pass += 1) {
    const sent = new Set<string | undefined>();
    let cursor = first;
    try {
      for (let page = 0; ; page += 1) {
        const body = await client.read(
          syncTransactions,
          { path: { link_id }, query: { cursor, size } },
          options,
        );
        yield { pass, page, body };
        if (!body.has_more) return;
        sent.add(cursor);
        cursor = nextCursor(body.cursor?.next, sent);
      }
    } catch (error) {
      const midway = sent.size > 0 && error instanceof RejectedError;
      if (!midway || pass === MAX_RESTARTS) throw error;
    }
  }
}

function nextCursor(next: string | null | undefined, sent: ReadonlySet<string | undefined>): string {
  if (next !== undefined && next !== null && next !== "" && !sent.has(next)) return next;
  throw new SchemaError(
    { operation: syncTransactions.name, sent: true },
    "cursor.next",
    "expected a cursor that wasn't sent yet, because has_more is true",
  );
}
