import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { NotFoundError, RateLimitedError, RejectedError, TransientError } from "../api/http/errors.js";
import { listLinkAccounts } from "../api/operations/bank-accounts.js";
import { importTransactions } from "../api/operations/transaction-import.js";
import { type Sent, sendByHalves } from "../domain/bulk/halving.js";
import {
  chunksOf,
  type ImportedChunk,
  importKey,
  importNames,
  type LedgerStatus,
  type NamedImportRow,
  rowsName,
} from "../domain/bulk/import-row.js";
import { mapConcurrent } from "../domain/concurrent-work.js";
import { FAILURE_TYPES } from "../domain/failures.js";
import type { RowProblem } from "../domain/row-problem.js";
import { isAmount, TRANSACTION_TYPES } from "../domain/service/transaction-values.js";
import { transactionImports } from "../lake/tables/transaction-imports.js";
import { dateOrInstant, idText, ruledText } from "./fields.js";
import { inLedger } from "./import-ledger.js";
import type { BulkJob, CheckPlace, JobRow } from "./job.js";

const LINKS_AT_ONCE = 8;
/** Times that a link's accounts are asked for while the service is busy, and milliseconds, twice, before the second. */
const LOOKS_AT_ACCOUNTS = 5;
const FIRST_WAIT_MS = 250;
/** A service that asks for a longer pause is out of reach: nothing has started yet. */
const MOST_WAIT_MS = 60_000;
const sha256 = (text: string): string => hash("sha256", text);

/** Imports transactions into bank links: a request for up to `chunk` rows of one link. */
export const importJob: BulkJob<NamedImportRow, ImportedChunk> = {
  kind: "import",
  file: { name: "transactions file", option: "--transactions" },
  row: z.object({
    link_id: idText,
    account_id: idText,
    amount: ruledText(
      isAmount,
      "is not a decimal number of at most 18 digits and 10 decimals, such as -12.50",
    ),
    date: dateOrInstant,
    description: z.string("is not text").optional(),
    transaction_id: idText.optional(),
    transaction_type: z.enum(TRANSACTION_TYPES, "is neither debit nor credit").optional(),
  }),
  // A row without an id of its own may be there twice: two payments may look the same.
  unique: (row) =>
    row.transaction_id === undefined ? null : { column: "transaction_id", value: importKey(row) },
  complete: () => importNames(sha256),
  owner: ({ link_id }) => link_id,
  check: unknownAccounts,
  effect: true,
  groupRows: 5_000,
  async plan({ lake, options }, rows) {
    const known = await inLedger(
      lake,
      rows.map(({ row }) => row),
    );
    const sendsUnknown = options.send_unknown === true;
    const statusOf = ({ row }: JobRow<NamedImportRow>) => known.get(importKey(row));
    const isOpen = (row: JobRow<NamedImportRow>) =>
      statusOf(row) === undefined || (sendsUnknown && statusOf(row) === "unknown");
    const ended = (known: LedgerStatus, status: "skipped" | "unknown", reason: string) => {
      const some = rows.filter((row) => !isOpen(row) && statusOf(row) === known);
      return some.length === 0 ? [] : [{ rows: some, result: chunkOf("", some, () => ({ status, reason })) }];
    };
    return {
      work: chunksOf(rows.filter(isOpen), Number(options.chunk)).map((chunk) => ({ rows: chunk })),
      ended: [
        ...ended("accepted", "skipped", "already imported"),
        ...ended("unknown", "unknown", "an earlier run sent it and its answer was lost"),
      ],
    };
  },
  async work({ rows }, caller) {
    const [first] = rows;
    if (first === undefined) throw new Error("a chunk without rows");
    const { link_id } = first.row;
    let gone: Sent | undefined;
    const sent = await sendByHalves(rows, async (some) => {
      if (gone !== undefined) return gone;
      const transactions = some.map(({ row: { link_id: _, ...row } }) => row) as [
        Omit<NamedImportRow, "link_id">,
      ];
      // Named after its rows: after a crash, another answer may lead to another order of requests.
      const name = rowsName(some, sha256);
      try {
        await caller.once(name, importTransactions, { path: { link_id }, body: { transactions } });
        return { kind: "taken" };
      } catch (error) {
        const refusal = refusalOf(error);
        if (error instanceof NotFoundError) gone = refusal;
        return refusal;
      }
    });
    return chunkOf(`${link_id}/${first.line}`, rows, (index) => {
      const end = sent[index] ?? GONE;
      if (end.kind === "taken") return { status: "accepted", reason: null };
      if (end.kind === "unknown") return { status: end.kind, reason: end.reason };
      return { status: end.kind, reason: end.reason, refused: end.refused };
    });
  },
  ends: ({ rows, result, reason, refused }) =>
    rows.map(({ line }, index) => {
      const end = result?.rows[index];
      if (end === undefined) return { line, status: "failed", reason, refused };
      if (end.status === "accepted") return { line, status: "done", reason: null };
      const status = end.status === "skipped" ? "skipped" : "failed";
      return { line, status, reason: end.reason, refused: end.refused };
    }),
  tables: [transactionImports],
  rows: ({ runId }, { rows, result, reason, refused, asked }) => {
    // Requests that were answered count too: they may have taken a part of the rows.
    const failed = { status: asked > 0 ? "unknown" : "refused", reason, refused };
    const endOf = (index: number) => {
      const end = result?.rows[index] ?? failed;
      return { status: end.status, reason: end.reason, error_message: end.refused?.message ?? null };
    };
    return {
      transaction_imports: rows.map(({ line, row }, index) => ({
        run_id: runId,
        line,
        link_id: row.link_id,
        account_id: row.account_id,
        transaction_id: row.transaction_id,
        amount: row.amount,
        date: row.date.slice(0, 10),
        date_text: row.date,
        ...endOf(index),
        chunk: result?.chunk || null,
        imported_at: result?.at ?? new Date().toISOString(),
        seen_in_run: null,
      })),
    };
  },
};

const GONE: Sent & { readonly kind: "refused" } = { kind: "refused", reason: "not_found" };

/** What a failed request says of its rows. @throws the error where it is no end of them. */
function refusalOf(error: unknown): Sent {
  if (error instanceof NotFoundError || error instanceof RejectedError) {
    const { status = 0, said = null } = error;
    const reason = error instanceof NotFoundError ? GONE.reason : `refused http_${status}`;
    return { kind: "refused", reason, refused: { status, message: said } };
  }
  const isLost = error instanceof Error && error.name === FAILURE_TYPES.lostAnswer;
  if (isLost) return { kind: "unknown", reason: "lost_answer" };
  throw error;
}

function chunkOf(
  chunk: string,
  rows: readonly JobRow<NamedImportRow>[],
  end: (index: number) => ImportedChunk["rows"][number],
): ImportedChunk {
  return { chunk, rows: rows.map((_, index) => end(index)), at: new Date().toISOString() };
}

/** Rows whose account their link does not have: one look at the accounts of each link. */
async function unknownAccounts(
  { api }: CheckPlace,
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
      if (accounts === undefined)
        problems.push({ line, column: "link_id", rule: "is no bank link of the service" });
      else if (!accounts.has(account))
        problems.push({ line, column: "account_id", rule: "is no account of its bank link" });
    }
  });
  return problems.sort((a, b) => a.line - b.line);
}

async function accountsOf(api: CheckPlace["api"], link_id: string): Promise<ReadonlySet<string> | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { accounts } = await api.read(listLinkAccounts, { path: { link_id } });
      return new Set(accounts.map((account) => String((account as { readonly id?: unknown }).id)));
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      if (!(error instanceof TransientError || error instanceof RateLimitedError)) throw error;
      const wait = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt;
      if (attempt === LOOKS_AT_ACCOUNTS || wait > MOST_WAIT_MS) throw error;
      await sleep(wait);
    }
  }
}
