import { cancellationSignal } from "@temporalio/activity";
import type { ApiClient, CallOptions } from "../../api/http/client.js";
import { RejectedError, SchemaError } from "../../api/http/errors.js";
import {
  type importTransactions,
  listLinkAccounts,
  syncTransactions,
} from "../../api/operations/bank-data.js";
import type { ParamsOf } from "../../api/operations/operation.js";
import {
  allNamesOf,
  fateOf,
  type ImportEvidence,
  type ImportedRows,
  isNameIn,
  ownAccounts,
  paymentsOf,
  type SentRow,
  soughtNames,
} from "../../domain/calls/imported-rows.js";
import { MOST_IDLE_PAGES } from "../../domain/service/idle-pages.js";
import type { Dependencies } from "../dependencies.js";
import type { Finding } from "./lost-call.js";

const MAX_RESTARTS = 5;

/** Milliseconds for which rows are looked for while nothing tells whether they would be found. */
const LOOKED_FOR_MS = 20_000;

type Import = ParamsOf<typeof importTransactions>;

/**
 * Looks for rows of a lost import in the link's history by id; rows without one are never sent again. A row that is not
 * there counts as missing only where imported rows are seen to come back under their ids, as `transaction_id` or
 * `original_id`. Where they are not, a row is known by its content in the end, or its fate is unknown.
 */
export async function findImported(
  deps: Dependencies,
  params: Import,
  run: string,
  evidence: ImportEvidence,
): Promise<Finding<Import, ImportedRows>> {
  const { transactions } = params.body;
  const { link_id } = params.path;
  const options = { signal: cancellationSignal(), run };
  const thereIn = (link: string) =>
    rowsInLink(deps.api, link, soughtNames(transactions, evidence), options, allNamesOf);
  const there = await thereIn(link_id);
  let fate = fateOf(transactions, evidence, there);
  for (const link of new Set(evidence.beside.map((row) => row.link_id ?? link_id))) {
    if (fate.isUnsure && link !== link_id && isNameIn(evidence, await thereIn(link)))
      fate = fateOf(transactions, { ...evidence, isSeen: true }, there);
  }
  const { found, unknown, missing, isUnsure } = fate;
  const end = { sent: 0, found, unknown };
  if (isUnsure) return { unsure: { forMs: LOOKED_FOR_MS, end } };
  const [first, ...rest] = transactions.filter((_, at) => missing.includes(at));
  if (first === undefined) return { found: end };
  return {
    missing: { ...params, body: { transactions: [first, ...rest] } },
    complete: ({ sent }) => ({ sent, found, unknown }),
  };
}

/**
 * Looks for rows of a refused import in the link's history: the service may have taken a part before it refused the rest.
 * A row that only has the id of one that is there, with another amount, was not taken. Undefined where none was.
 */
export async function findTaken(
  deps: Dependencies,
  { path, body: { transactions } }: Import,
  run: string,
  { status = 0, said }: RejectedError,
): Promise<{ readonly found: ImportedRows } | undefined> {
  const options = { signal: cancellationSignal(), run };
  const own = transactions.map((row) => paymentsOf(row)[0] ?? "");
  const there = await rowsInLink(deps.api, path.link_id, new Set(own), options, paymentsOf);
  const missing = [...transactions.keys()].filter((at) => !there.has(own[at] ?? ""));
  const found = transactions.length - missing.length;
  if (found === 0) return undefined;
  const refused = { status, message: said ?? null, missing };
  return { found: { sent: 0, found, unknown: [], ...(missing.length > 0 && { refused }) } };
}

/** The names of a row of the service, by the caller's ids of its account. */
type NamesOf = (row: SentRow, accounts: ReadonlyMap<string, string>) => readonly string[];

/**
 * The wanted names that rows of a link's complete history have (docs/reference/service.md, "Sync operation"), each with
 * the service's ids of these rows. A refusal in its middle means that the log changed: it is read again from its beginning.
 *
 * @throws SchemaError when more is promised without a cursor that is new, or without a row on a hundred pages in a row.
 * @throws RejectedError when its first page is refused, or the log changed under every reading.
 */
export async function rowsInLink(
  api: ApiClient,
  link_id: string,
  wanted: ReadonlySet<string>,
  options: CallOptions,
  names: NamesOf,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (wanted.size === 0) return new Map();
  const { accounts } = await api.read(listLinkAccounts, { path: { link_id } }, options);
  const own = ownAccounts(accounts);
  for (let pass = 0; ; pass += 1) {
    const there = new Map<string, Set<string>>();
    const sent = new Set<string>();
    let cursor: string | undefined;
    let idlePages = 0;
    let before = "";
    try {
      for (;;) {
        const params = { path: { link_id }, query: { cursor } };
        const { transactions, ...rest } = await api.read(syncTransactions, params, options);
        const rows = [...transactions.created, ...transactions.updated] as SentRow[];
        for (const row of rows) {
          for (const name of names(row, own)) {
            if (wanted.has(name))
              there.set(name, (there.get(name) ?? new Set()).add(String(row.transaction_id)));
          }
        }
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
