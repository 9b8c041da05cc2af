import { cancellationSignal } from "@temporalio/activity";
import type { ApiClient, CallOptions } from "../../api/http/client.js";
import { RejectedError, SchemaError } from "../../api/http/errors.js";
import { type importTransactions, syncTransactions } from "../../api/operations/bank-data.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import { MOST_IDLE_PAGES } from "../../domain/service/idle-pages.js";
import type { Dependencies } from "../dependencies.js";
import type { Finding } from "./lost-call.js";

const MAX_RESTARTS = 5;

export interface ImportedRows {
  readonly sent: number;
  readonly found: number;
  /** Indexes of rows whose fate is unknown: nothing tells whether a lost request imported them. */
  readonly unknown: readonly number[];
}

type Import = ParamsOf<typeof importTransactions>;
type Row = Import["body"]["transactions"][number];

/** Looks for rows of a lost import in the link's history by id; rows without one are never sent again. */
export async function findImported(
  deps: Dependencies,
  params: Import,
  run: string,
): Promise<Finding<Import, ImportedRows>> {
  const { transactions } = params.body;
  const named = transactions.filter(({ transaction_id }) => transaction_id !== undefined);
  const unknown = transactions.flatMap((row, index) => (row.transaction_id === undefined ? [index] : []));
  const options = { signal: cancellationSignal(), run };
  const there = await namesInLink(deps.api, params.path.link_id, new Set(named.map(nameOf)), options);
  const missing = named.filter((row) => !there.has(nameOf(row)));
  const found = named.length - missing.length;
  const [first, ...rest] = missing;
  if (first === undefined) return { found: { sent: 0, found, unknown } };
  return {
    missing: { ...params, body: { transactions: [first, ...rest] } },
    complete: ({ sent }) => ({ sent, found, unknown }),
  };
}

/**
 * The names among the wanted ones that a link's complete history has (docs/reference/service.md, "Sync operation"). A
 * refusal in its middle means that the log changed: it is read again from its beginning.
 *
 * @throws SchemaError when more is promised without a cursor that is new, or without a row on a hundred pages in a row.
 * @throws RejectedError when its first page is refused, or the log changed under every reading.
 */
export async function namesInLink(
  api: ApiClient,
  link_id: string,
  wanted: ReadonlySet<string>,
  options: CallOptions,
): Promise<ReadonlySet<string>> {
  if (wanted.size === 0) return new Set();
  for (let pass = 0; ; pass += 1) {
    const there = new Set<string>();
    const sent = new Set<string>();
    let cursor: string | undefined;
    let idlePages = 0;
    let before = "";
    try {
      for (;;) {
        const params = { path: { link_id }, query: { cursor } };
        const { transactions, ...rest } = await api.read(syncTransactions, params, options);
        const rows = [...transactions.created, ...transactions.updated] as Partial<Row>[];
        for (const name of rows.map(nameOf)) if (wanted.has(name)) there.add(name);
        if (!rest.has_more) return there;
        const text = JSON.stringify(transactions);
        const isIdle = text === before || rows.length + transactions.removed.length === 0;
        idlePages = isIdle ? idlePages + 1 : 0;
        before = text;
        const next = rest.cursor?.next;
        if (!next || sent.has(next) || idlePages === MOST_IDLE_PAGES) throw endless();
        cursor = next;
        sent.add(cursor);
      }
    } catch (error) {
      const midway = sent.size > 0 && error instanceof RejectedError;
      if (!midway || pass === MAX_RESTARTS) throw error;
    }
  }
}

function endless(): SchemaError {
  return new SchemaError(
    { operation: syncTransactions.name, sent: true },
    "cursor.next",
    "expected a cursor that wasn't sent yet, to a page that adds something, because has_more is true",
  );
}

function nameOf({ account_id, transaction_id }: Partial<Row>): string {
  return JSON.stringify([account_id, transaction_id]);
}
