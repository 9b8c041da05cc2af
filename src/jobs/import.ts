import { hash } from "node:crypto";
import { z } from "zod";
import { NotFoundError, RejectedError } from "../api/http/errors.js";
import { listLinkAccounts } from "../api/operations/link-accounts.js";
import { importTransactions } from "../api/operations/transaction-import.js";
import { sendByHalves } from "../domain/bulk/halving.js";
import {
  chunksOf,
  type ImportedChunk,
  importKey,
  importNames,
  type NamedImportRow,
} from "../domain/bulk/import-row.js";
import { mapConcurrent } from "../domain/map-concurrent.js";
import type { RowProblem } from "../domain/row-problem.js";
import { isAmount, TRANSACTION_TYPES } from "../domain/service/transaction-values.js";
import { transactionImports } from "../lake/tables/transaction-imports.js";
import { dateOrInstant, idText, ruledText } from "./fields.js";
import { inLedger } from "./import-ledger.js";
import type { BulkJob, CheckPlace, JobRow } from "./job.js";

const LINKS_AT_ONCE = 8;
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
  groupRows: 10_000,
  async plan({ lake, options }, rows) {
    const known = await inLedger(
      lake,
      rows.map(({ row }) => row),
    );
    const of = (status: string | undefined) => rows.filter(({ row }) => known.get(importKey(row)) === status);
    const ended = (some: readonly JobRow<NamedImportRow>[], status: "skipped" | "unknown", reason: string) =>
      some.length === 0 ? [] : [{ rows: some, result: chunkOf("", some, () => ({ status, reason })) }];
    return {
      work: chunksOf(of(undefined), Number(options.chunk)).map((chunk) => ({ rows: chunk })),
      ended: [
        ...ended(of("accepted"), "skipped", "already imported"),
        ...ended(of("unknown"), "unknown", "an earlier run sent it and its answer was lost"),
      ],
    };
  },
  async work({ rows }, caller) {
    const [first] = rows;
    if (first === undefined) throw new Error("a chunk without rows");
    const { link_id } = first.row;
    let request = 0;
    const refused = await sendByHalves(rows, async (some) => {
      request += 1;
      const transactions = some.map(({ row: { link_id: _, ...row } }) => row) as [
        Omit<NamedImportRow, "link_id">,
      ];
      try {
        await caller.once(`${request}`, importTransactions, { path: { link_id }, body: { transactions } });
        return null;
      } catch (error) {
        if (error instanceof NotFoundError || !(error instanceof RejectedError)) throw error;
        return `refused http_${error.status}`;
      }
    });
    return chunkOf(`${link_id}/${first.line}`, rows, (index) => {
      const reason = refused[index] ?? null;
      return { status: reason === null ? "accepted" : "refused", reason };
    });
  },
  ends: ({ rows, result, reason }) =>
    rows.map(({ line }, index) => {
      const end = result?.rows[index];
      if (end === undefined) return { line, status: "failed", reason };
      if (end.status === "accepted") return { line, status: "done", reason: null };
      return { line, status: end.status === "skipped" ? "skipped" : "failed", reason: end.reason };
    }),
  tables: [transactionImports],
  rows: ({ runId }, { rows, result, reason, mayHaveEffect }) => {
    const failed = { status: mayHaveEffect ? "unknown" : "refused", reason };
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
        ...(result?.rows[index] ?? failed),
        chunk: result?.chunk || null,
        imported_at: result?.at ?? new Date().toISOString(),
        seen_in_run: null,
      })),
    };
  },
};

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
  try {
    const { accounts } = await api.read(listLinkAccounts, { path: { link_id } });
    return new Set(accounts.map((account) => String((account as { readonly id?: unknown }).id)));
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
