import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { dateOrInstant, idText, ruledText } from "../api/file-fields.js";
import type { ApiClient } from "../api/http/client.js";
import { NotFoundError, RateLimitedError, TransientError } from "../api/http/errors.js";
import { importTransactions, listLinkAccounts } from "../api/operations/bank-data.js";
import { type RetryPolicy, triesOf, waitAfter } from "../domain/backoff.js";
import { sendFirstRows } from "../domain/bulk/first-rows.js";
import { type RequestAnswer, type RequestEnd, sendByHalves } from "../domain/bulk/halving.js";
import {
  chunksOf,
  type ImportedChunk,
  importKey,
  importNames,
  type LedgerStatus,
  type NamedImportRow,
  rowsName,
} from "../domain/bulk/import-row.js";
import { type ImportEvidence, type ImportedRows, ownAccounts } from "../domain/calls/imported-rows.js";
import { mapConcurrent } from "../domain/concurrent-work.js";
import { MINUTE, SECOND } from "../domain/duration.js";
import { FAILURE_TYPES, UNRESOLVED_REQUEST } from "../domain/failures.js";
import { broken, type RowProblem } from "../domain/row-problem.js";
import { isAmount, TRANSACTION_TYPES } from "../domain/service/transaction-values.js";
import { importLedger } from "../lake/bulk/import-ledger.js";
import { transactionImports } from "../lake/tables/bulk.js";
import { type BulkJob, type JobRow, refusalOf } from "./job.js";
import { type ImportOptions, importKind } from "./kinds/import.js";

const LOST = "lost_answer";
const SENT_EARLIER = "an earlier run sent it and its answer was lost";

const LINKS_AT_ONCE = 8;
/** A service that is busy longer, or asks for a longer pause, is out of reach: nothing has started yet. */
const BUSY_RETRY: RetryPolicy = { first: SECOND / 2, longest: MINUTE, until: 7.5 * SECOND };
const NO_LINK = broken("no_link", "is not a bank link of the service");
const NO_ACCOUNT = broken("no_account", "is not an account of its bank link");
const sha256 = (text: string): string => hash("sha256", text);

/** Chunks of a group whose first rows are looked for where nothing else tells that rows come back under their ids. */
const MOST_BESIDE = 4;

/** What a chunk is sent with. */
interface ChunkPlan extends ImportEvidence {
  /** Whether it is the first one of its group. */
  readonly isFirst: boolean;
}

/** Imports transactions into bank links: a request for up to `chunk` rows of one link. */
export const importJob: BulkJob<NamedImportRow, ImportedChunk, ImportOptions, ChunkPlan> = {
  ...importKind,
  row: z.object({
    link_id: idText,
    account_id: idText,
    amount: ruledText(
      isAmount,
      broken("not_amount", "is not a decimal number of at most 18 digits and 10 decimals, such as -12.50"),
    ),
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
    const { statuses, isSeen } = await importLedger(
      lake,
      rows.map(({ row }) => row),
    );
    const statusOf = ({ row }: JobRow<NamedImportRow>) => {
      const status = statuses.get(importKey(row));
      return status === "unknown" && options.send_unknown ? undefined : status;
    };
    const ended = (known: LedgerStatus, status: "skipped" | "unknown", reason: string) => {
      const own = rows.filter((one) => statusOf(one) === known);
      const ends = own.map(() => ({ status, reason }));
      return own.length === 0 ? [] : [{ rows: own, result: chunkOf("", ends) }];
    };
    const chunks = chunksOf(
      rows.filter((one) => statusOf(one) === undefined),
      options.chunk,
    );
    const beside = chunks
      .slice(0, MOST_BESIDE)
      .flatMap(([first]) => (first === undefined ? [] : [nameOf(first)]));
    const planOf = (at: number): ChunkPlan => ({ isSeen, isFirst: at === 0, beside });
    return {
      work: chunks.map((chunk, at) => ({ rows: chunk, given: planOf(at) })),
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
    const { isSeen, isFirst, beside } = caller.given;
    const evidence = { isSeen, beside: [...beside, ...rows.map(nameOf)] };
    let gone: RequestEnd | undefined;
    const send = async (some: readonly JobRow<NamedImportRow>[], looks: boolean) => {
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
          { lookAfter, evidence },
        );
        return answerOf(some.length, body);
      } catch (error) {
        const end = requestEnd(error);
        if (error instanceof NotFoundError) gone = end;
        return end;
      }
    };
    // Of a part of one row, nothing else would show that it was taken although it was refused.
    const sendPart = (part: typeof rows) => sendByHalves(part, (some) => send(some, true));
    const isSlow = isFirst && !isSeen;
    const ends = await (isSlow ? sendFirstRows(rows, sendPart, isUnresolved) : sendByHalves(rows, send));
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
        const { link_id, account_id, transaction_id, amount, date, description } = row;
        return {
          ...{ run_id: runId, line, link_id, account_id, transaction_id, amount },
          ...{ date: date.slice(0, 10), date_text: date },
          ...{ status: end.status, reason: end.reason, error_message: end.refused?.message ?? null },
          ...{ chunk: result?.chunk || null, imported_at, description },
        };
      }),
    };
  },
};

function nameOf({ row: { link_id, account_id, transaction_id } }: JobRow<NamedImportRow>) {
  return { link_id, account_id, transaction_id };
}

function answerOf(rows: number, { refused, unknown }: ImportedRows): RequestAnswer {
  const accepted = { status: "accepted", reason: null } as const;
  if (refused === undefined) return accepted;
  const { missing, ...said } = refused;
  const ended = new Map<number, RequestEnd>(Array.from({ length: rows }, (_, at) => [at, accepted]));
  for (const at of unknown) ended.set(at, { status: "unknown", reason: LOST });
  for (const at of missing) ended.delete(at);
  return { status: "refused", reason: `refused http_${said.status}`, refused: said, ended };
}

/** What a failed request means for its rows. @throws the error where it is not their end. */
function requestEnd(error: unknown): RequestEnd {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return { status: "refused", ...refusal };
  const isLost = error instanceof Error && error.name === FAILURE_TYPES.lostAnswer;
  if (isLost) return { status: "unknown", reason: LOST };
  throw error;
}

function isUnresolved(error: unknown): boolean {
  const [facts] = (error as { readonly details?: readonly unknown[] }).details ?? [];
  return (facts as { readonly reason?: unknown } | undefined)?.reason === UNRESOLVED_REQUEST;
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

/** The ids that a file may give the accounts of a link: the service's, or those that they were imported under. */
async function accountsOf(api: ApiClient, link_id: string): Promise<ReadonlySet<string> | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { accounts } = await api.read(listLinkAccounts, { path: { link_id } });
      const ids = accounts.map((account) => String((account as { readonly id?: unknown }).id));
      return new Set([...ids, ...ownAccounts(accounts).values()]);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      if (!(error instanceof TransientError || error instanceof RateLimitedError)) throw error;
      const wait = error.retryAfterMs ?? waitAfter(BUSY_RETRY, attempt);
      if (attempt === triesOf(BUSY_RETRY) || wait > BUSY_RETRY.longest) throw error;
      await sleep(wait);
    }
  }
}
