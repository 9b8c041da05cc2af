import type { ComparedRow, ComparedRows } from "../../../domain/bulk/reconcile/compared-rows.js";
import type { Lake } from "../../lake.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { transactions } from "../../tables/transactions.js";
import { positionOf, syncedState, viewAt } from "./synced-state.js";

/** The account that is read, and the days. */
interface AskedAccount {
  readonly linkId: string;
  readonly accountId: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** An account's live rows are read up to so many: all of them are in memory at once. */
export const MOST_ROWS = 200_000;

/** The live rows of an account, and where in its link's log they end. */
interface AccountRows {
  readonly cursor: string;
  /** Certificate of the link's last committed update. */
  readonly head: string;
  /** Null where there are more than {@link MOST_ROWS}. */
  readonly rows: ComparedRows | null;
}

/** Reads the live rows of one account, or says why they can't be compared. */
export async function accountRows(lake: Lake, asked: AskedAccount): Promise<AccountRows | string> {
  const state = await syncedState(lake);
  if (state === undefined) return "being_synced";
  const position = positionOf(state, asked.linkId);
  if (position === undefined) return "never_synced";
  const { cursor, head } = position;
  if (cursor === null) return "no_cursor";
  const view = await viewAt(lake, transactions, state.rows, [asked.linkId]);
  const rows = new Map<string, ComparedRow>();
  await lake.duckdb.exclusive(async (sql) => {
    await sql.run(view);
    const found = sql.stream(`select transaction_id, amount, type, currency, date, pending from transactions
      where link_id = ${sqlText(asked.linkId)} and account_id = ${sqlText(asked.accountId)} and ${daysOf(asked)}
      limit ${MOST_ROWS + 1}`);
    for await (const batch of found) {
      for (const { transaction_id, amount, type, currency, date, pending } of batch) {
        const texts = { amount: String(amount), type: String(type), currency: String(currency) };
        rows.set(String(transaction_id), { ...texts, date: String(date), pending: pending === true });
      }
    }
  });
  return { cursor, head, rows: rows.size > MOST_ROWS ? null : rows };
}

/** SQL of whether a row is of the days. */
export function daysOf({ from, to }: Pick<AskedAccount, "from" | "to">): string {
  const first = from === undefined ? "true" : `date >= ${sqlText(from)}::date`;
  const last = to === undefined ? "true" : `date <= ${sqlText(to)}::date`;
  return `${first} and ${last}`;
}
