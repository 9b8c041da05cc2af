import { cancellationSignal } from "@temporalio/activity";
import type { CallOptions } from "../../api/http/call-options.js";
import type { ApiClient } from "../../api/http/client.js";
import { RejectedError, SchemaError } from "../../api/http/errors.js";
import {
  type importTransactions,
  listLinkAccounts,
  syncTransactions,
} from "../../api/operations/bank-data.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import {
  asImported,
  type ImportEvidence,
  type ImportedRows,
  importedName,
  ownAccounts,
} from "../../domain/calls/imported-rows.js";
import { MOST_IDLE_PAGES } from "../../domain/service/idle-pages.js";
import { decimalUnits, listedAmount } from "../../domain/service/transaction-values.js";
import type { Dependencies } from "../dependencies.js";
import type { Finding } from "./lost-call.js";

const MAX_RESTARTS = 5;

type Import = ParamsOf<typeof importTransactions>;
type Row = Import["body"]["transactions"][number];

/** Milliseconds for which rows are looked for while nothing tells whether they would be found. */
const LOOKED_FOR_MS = 60_000;

/**
 * Looks for rows of a lost import in the link's history by id; rows without one are never sent again. One is missing only
 * where rows are seen to come back under their ids.
 */
export async function findImported(
  { api }: Dependencies,
  params: Import,
  run: string,
  { isSeen, beside }: ImportEvidence,
): Promise<Finding<Import, ImportedRows>> {
  const { transactions } = params.body;
  const named = transactions.filter(({ transaction_id }) => transaction_id !== undefined);
  const unknown = transactions.flatMap((row, index) => (row.transaction_id === undefined ? [index] : []));
  const options = { signal: cancellationSignal(), run };
  const wanted = new Set([...named, ...beside].map(importedName));
  const thereIn = (link: string) => namesInLink(api, link, wanted, options);
  const there = await thereIn(params.path.link_id);
  const missing = named.filter((row) => !there.has(importedName(row)));
  const found = named.length - missing.length;
  const [first, ...rest] = missing;
  if (first === undefined) return { effect: { sent: 0, found, unknown } };
  let isKnown = isSeen || there.size > 0;
  for (const link of new Set(beside.map(({ link_id }) => link_id)))
    isKnown ||= link !== params.path.link_id && (await thereIn(link)).size > 0;
  if (!isKnown) return { unsureForMs: LOOKED_FOR_MS };
  return {
    missing: { ...params, body: { transactions: [first, ...rest] } },
    complete: ({ sent }) => ({ sent, found, unknown }),
  };
}

/**
 * Looks for the part of a refused import that was taken, by id and amount; undefined for none. Unless rows are seen to come
 * back under their ids, one that only looks like a row there may have been taken.
 */
export async function findTaken(
  api: ApiClient,
  { path, body: { transactions } }: Import,
  options: CallOptions,
  { isSeen, beside }: ImportEvidence,
  { status = 0, serviceMessage }: RejectedError,
): Promise<{ readonly effect: ImportedRows } | undefined> {
  const namesOf = (row: Row) => [importedName(row), paymentOf(row), lookOf(row)];
  const names = new Set([...transactions.flatMap(namesOf), ...beside.map(importedName)]);
  const there = await namesInLink(api, path.link_id, names, options, namesOf);
  const isThere = (name: string) => there.has(name);
  const areKnown = isSeen || beside.map(importedName).some(isThere);
  const absent = [...transactions.entries()].filter(([, row]) => !isThere(paymentOf(row)));
  const isUnknown = (row: Row) => !areKnown && isThere(lookOf(row));
  const unknown = absent.flatMap(([at, row]) => (isUnknown(row) ? [at] : []));
  const missing = absent.flatMap(([at, row]) => (isUnknown(row) ? [] : [at]));
  if (missing.length === transactions.length) return undefined;
  const refused = { status, message: serviceMessage ?? null, missing };
  const found = transactions.length - absent.length;
  return { effect: { sent: 0, found, unknown, ...(absent.length > 0 && { refused }) } };
}

/**
 * The wanted names that a link's complete history has (docs/reference/service.md, "Sync operation"). After a refusal in its
 * middle the log has changed, and is read again.
 *
 * @throws SchemaError when more is promised without a cursor that is new, or without a row on a hundred pages in a row.
 * @throws RejectedError when its first page is refused, or the log changed under every reading.
 */
export async function namesInLink(
  api: ApiClient,
  link_id: string,
  wanted: ReadonlySet<string>,
  options: CallOptions,
  namesOf: (row: Row) => readonly string[] = (row) => [importedName(row)],
): Promise<ReadonlySet<string>> {
  if (wanted.size === 0) return new Set();
  const { accounts } = await api.read(listLinkAccounts, { path: { link_id } }, options);
  const own = ownAccounts(accounts);
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
        const rows = [...transactions.created, ...transactions.updated] as Row[];
        for (const name of rows.flatMap((row) => asImported(row, own)).flatMap(namesOf))
          if (wanted.has(name)) there.add(name);
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

export function paymentOf(row: Row): string {
  return JSON.stringify([importedName(row), sizeOf(row)]);
}

/** What a service keeps of a row besides the id. */
function lookOf(row: Row): string {
  return JSON.stringify([row.account_id, sizeOf(row), String(row.date).slice(0, 10)]);
}

/** A service may write an amount in its own way. */
function sizeOf({ amount }: Row): string | undefined {
  return decimalUnits(listedAmount(amount))?.toString().replace("-", "");
}
