import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { dateOrInstant, idText, ruledText } from "../api/file-fields.js";
import type { ApiClient } from "../api/http/client.js";
import { NotFoundError, RateLimitedError, TransientError } from "../api/http/errors.js";
import { importTransactions, listLinkAccounts } from "../api/operations/bank-data.js";
import { type RequestEnd, sendByHalves } from "../domain/bulk/halving.js";
import {
  chunksOf,
  type ImportedChunk,
  importKey,
  importNames,
  type LedgerStatus,
  type NamedImportRow,
  rowsName,
} from "../domain/bulk/import-row.js";
import type { ImportedRows } from "../domain/calls/imported-rows.js";
import { mapConcurrent } from "../domain/concurrent-work.js";
import { FAILURE_TYPES } from "../domain/failures.js";
import type { BrokenRule, RowProblem } from "../domain/row-problem.js";
import { isAmount, TRANSACTION_TYPES } from "../domain/service/transaction-values.js";
import { factsOf, holdsLinks } from "../lake/delta/delta-stats.js";
import type { Lake } from "../lake/lake.js";
import { readTables } from "../lake/query/query-views.js";
import { sqlList } from "../lake/sql/duckdb-sql.js";
import { transactionImports } from "../lake/tables/bulk.js";
import { transactionChanges } from "../lake/tables/transactions.js";
import { type BulkJob, type JobRow, refusalOf } from "./job.js";
import { type ImportOptions, importKind } from "./kinds/import.js";

/**
 * The rows that the ledger has, by {@link importKey}: those that an earlier run imported, and those whose answer was
 * lost. A row that a sync has seen since is imported.
 */
async function inLedger(
  lake: Lake,
  rows: readonly JobRow<NamedImportRow>[],
): Promise<Map<string, LedgerStatus>> {
  const wanted = new Set(rows.map(({ row }) => importKey(row)));
  const links = sqlList([...new Set(rows.map(({ row }) => row.link_id))]);
  const found = new Map<string, LedgerStatus>();
  await readTables(lake, [transactionImports], async (sql) => {
    const ledger = sql.stream(
      `select link_id, account_id, transaction_id, status from transaction_imports
       where status in ('accepted', 'unknown') and list_contains(${links}, link_id)`,
    );
    for await (const batch of ledger) {
      for (const { status, ...name } of batch) {
        const key = importKey(name as Partial<NamedImportRow>);
        if (wanted.has(key) && found.get(key) !== "accepted") found.set(key, status as LedgerStatus);
      }
    }
  });
  const lost = rows.map(({ row }) => row).filter((row) => found.get(importKey(row)) === "unknown");
  for (const key of await inFeed(lake, lost)) found.set(key, "accepted");
  return found;
}

/** The rows that a sync has seen, by {@link importKey}; of the feed it reads only files that may have their links. */
async function inFeed(lake: Lake, rows: readonly NamedImportRow[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const links = [...new Set(rows.map(({ link_id }) => link_id))].sort();
  const holds = holdsLinks(links[0] as string, links.at(-1) as string);
  const wanted = new Set(rows.map(importKey));
  const seen = await readTables(
    lake,
    [transactionChanges],
    (sql) =>
      sql.rows(`select distinct link_id, account_id, transaction_id from transaction_changes
        where change_type <> 'removed' and list_contains(${sqlList(links)}, link_id)
          and list_contains(${sqlList(rows.map(({ transaction_id }) => transaction_id))}, transaction_id)`),
    (file) => holds(factsOf(file)),
  );
  return seen.map((name) => importKey(name as Partial<NamedImportRow>)).filter((key) => wanted.has(key));
}

const LOST = "lost_answer";
const SENT_EARLIER = "an earlier run sent it and its answer was lost";

const LINKS_AT_ONCE = 8;
/** Times that a link's accounts are asked for while the service is busy; the wait doubles from the second on. */
const MOST_TRIES = 5;
const FIRST_WAIT_MS = 250;
/** A service that asks for a longer pause is out of reach: nothing has started yet. */
const MOST_WAIT_MS = 60_000;
const NO_LINK: BrokenRule = { code: "no_link", rule: "is not a bank link of the service" };
const NO_ACCOUNT: BrokenRule = { code: "no_account", rule: "is not an account of its bank link" };
const sha256 = (text: string): string => hash("sha256", text);

/** Imports transactions into bank links: a request for up to `chunk` rows of one link. */
export const importJob: BulkJob<NamedImportRow, ImportedChunk, ImportOptions> = {
  ...importKind,
  row: z.object({
    link_id: idText,
    account_id: idText,
    amount: ruledText(isAmount, {
      code: "not_amount",
      rule: "is not a decimal number of at most 18 digits and 10 decimals, such as -12.50",
    }),
    date: dateOrInstant,
    description: z.string("is not text").optional(),
    transaction_id: idText.optional(),
    transaction_type: z.enum(TRANSACTION_TYPES, "is neither debit nor credit").optional(),
  }),
  // A row without an id of its own may repeat: two payments may look the same.
  unique(row) {
    const { link_id, account_id, transaction_id } = row;
    const isWhole = [link_id, account_id, transaction_id].every((part) => part !== undefined);
    return isWhole ? { column: "transaction_id", value: importKey(row) } : null;
  },
  complete: () => ({ row: importNames(sha256) }),
  owner: ({ link_id }) => link_id,
  check: unknownAccounts,
  groupRows: 5_000,
  async plan({ lake, options }, rows) {
    const known = await inLedger(lake, rows);
    const statusOf = ({ row }: JobRow<NamedImportRow>) => {
      const status = known.get(importKey(row));
      return status === "unknown" && options.send_unknown ? undefined : status;
    };
    const ended = (known: LedgerStatus, status: "skipped" | "unknown", reason: string) => {
      const own = rows.filter((one) => statusOf(one) === known);
      const ends = own.map(() => ({ status, reason }));
      return own.length === 0 ? [] : [{ rows: own, result: chunkOf("", ends) }];
    };
    return {
      work: chunksOf(
        rows.filter((one) => statusOf(one) === undefined),
        options.chunk,
      ).map((chunk) => ({ rows: chunk })),
      ended: [
        ...ended("accepted", "skipped", "already imported"),
        ...ended("unknown", "unknown", SENT_EARLIER),
      ],
    };
  },
  async work(rows, caller) {
    const [first] = rows;
    if (first === undefined) throw new Error("a chunk without rows");
    const { link_id } = first.row;
    let gone: RequestEnd | undefined;
    const ends = await sendByHalves(rows, async (some, looks) => {
      if (gone !== undefined) return gone;
      const transactions = some.map(({ row: { link_id: _, ...row } }) => row) as [
        Omit<NamedImportRow, "link_id">,
      ];
      // Named after its rows: after a crash, other answers may lead to other requests in another order.
      const name = rowsName(some, sha256);
      try {
        const params = { path: { link_id }, body: { transactions } };
        const lookAfter = looks ? "refusal" : "repetition";
        const { body } = await caller.once<typeof importTransactions, ImportedRows>(
          name,
          importTransactions,
          params,
          undefined,
          { lookAfter },
        );
        return answerOf(some.length, body);
      } catch (error) {
        const end = requestEnd(error);
        if (error instanceof NotFoundError) gone = end;
        return end;
      }
    });
    return chunkOf(`${link_id}/${first.line}`, ends);
  },
  end(result, at) {
    const { status, reason, refused } = endOf(result, at);
    const words = { accepted: "done", skipped: "skipped", refused: "failed", unknown: "failed" } as const;
    return { status: words[status], reason, refused };
  },
  isUnsure: (reason) => [LOST, SENT_EARLIER].includes(reason) || reason.startsWith("gave_up "),
  skippedRows: (runId) => `select reason, 'line ' || line || ' ' || link_id as owner from transaction_imports
    where run_id = '${runId}' and status = 'skipped'`,
  tables: [transactionImports],
  rows: ({ runId }, { rows, result, reason, refused, asked }) => {
    // Requests that were answered count too: the service may have taken some of the rows.
    const failed = { status: asked > 0 ? "unknown" : "refused", reason, refused };
    const imported_at = result?.at ?? new Date().toISOString();
    return {
      transaction_imports: rows.map(({ line, row }, index) => {
        const end = result === null ? failed : endOf(result, index);
        const { link_id, account_id, transaction_id, amount, date } = row;
        return {
          ...{ run_id: runId, line, link_id, account_id, transaction_id, amount },
          ...{ date: date.slice(0, 10), date_text: date },
          ...{ status: end.status, reason: end.reason, error_message: end.refused?.message ?? null },
          ...{ chunk: result?.chunk || null, imported_at },
        };
      }),
    };
  },
};

function answerOf(rows: number, { refused }: ImportedRows): RequestEnd & { readonly taken?: number[] } {
  if (refused === undefined) return { status: "accepted", reason: null };
  const { missing, ...said } = refused;
  const taken = Array.from({ length: rows }, (_, at) => at).filter((at) => !missing.includes(at));
  return { status: "refused", reason: `refused http_${said.status}`, refused: said, taken };
}

/** What a failed request means for its rows. @throws the error where it is not their end. */
function requestEnd(error: unknown): RequestEnd {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return { status: "refused", ...refusal };
  const isLost = error instanceof Error && error.name === FAILURE_TYPES.lostAnswer;
  if (isLost) return { status: "unknown", reason: LOST };
  throw error;
}

function chunkOf(chunk: string, rows: ImportedChunk["rows"]): ImportedChunk {
  return { chunk, rows, at: new Date().toISOString() };
}

function endOf({ rows }: ImportedChunk, index: number): ImportedChunk["rows"][number] {
  return rows[index] ?? { status: "refused", reason: "not sent" };
}

/** Finds rows whose account their link does not have; asks for the accounts of each link once. */
async function unknownAccounts(
  api: ApiClient,
  rows: AsyncIterable<JobRow<NamedImportRow>>,
): Promise<RowProblem[]> {
  const places = new Map<string, { readonly line: number; readonly account: string }[]>();
  for await (const { line, row } of rows) {
    const own = places.get(row.link_id) ?? [];
    own.push({ line, account: row.account_id });
    places.set(row.link_id, own);
  }
  const problems: RowProblem[] = [];
  await mapConcurrent(LINKS_AT_ONCE, [...places], async ([link_id, own]) => {
    const accounts = await accountsOf(api, link_id);
    for (const { line, account } of own) {
      if (accounts === undefined) problems.push({ line, column: "link_id", ...NO_LINK });
      else if (!accounts.has(account)) problems.push({ line, column: "account_id", ...NO_ACCOUNT });
    }
  });
  return problems.sort((a, b) => a.line - b.line);
}

async function accountsOf(api: ApiClient, link_id: string): Promise<ReadonlySet<string> | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { accounts } = await api.read(listLinkAccounts, { path: { link_id } });
      return new Set(accounts.map((account) => String((account as { readonly id?: unknown }).id)));
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      if (!(error instanceof TransientError || error instanceof RateLimitedError)) throw error;
      const wait = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt;
      if (attempt === MOST_TRIES || wait > MOST_WAIT_MS) throw error;
      await sleep(wait);
    }
  }
}
