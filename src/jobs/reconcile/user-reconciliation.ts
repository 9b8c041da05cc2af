import { hash } from "node:crypto";
import pLimit from "p-limit";
import { firstPage, ListPass, listPage } from "../../api/lists/read-list.js";
import { listUserAccounts, listUserTransactions, syncTransactions } from "../../api/operations/bank-data.js";
import {
  type BalanceCheck,
  checkBalance,
  quarantinedReason,
  type ReconciliationStatus,
} from "../../domain/bulk/reconcile/balance.js";
import {
  type ComparedRow,
  type ComparedRows,
  compareRows,
  isSame,
  listedRow,
  type RowComparison,
} from "../../domain/bulk/reconcile/compared-rows.js";
import { hasLoneSurrogate } from "../../domain/service/transaction-values.js";
import { hasNews } from "../../domain/sync/link-update.js";
import { ID_TWICE } from "../../domain/sync/user-reading.js";
import { accountRows, type LakeAccount, MOST_ROWS } from "../../lake/bulk/reconcile/lake-accounts.js";
import { type Caller, refusalOf } from "../job.js";
import type { ReconcileOptions } from "../kinds/reconcile.js";

/** The most that the service gives. */
const PAGE_SIZE = 100;
/** For a list that moved. */
const MOST_RESTARTS = 5;
/** Accounts of a process with rows in memory. */
const accountLimit = pLimit(4);

type ComparedAccount = Pick<RowsResult, "status" | "reason"> & Partial<RowsResult>;

/** Compares a user's accounts in the lake with the service's. */
export async function reconcileUser(
  fpId: string,
  caller: Caller<ReconcileOptions, readonly LakeAccount[]>,
): Promise<UserResult> {
  return new UserReconciliation(fpId, caller, caller.given).run();
}

class UserReconciliation {
  readonly #range;
  /** Rows at the service by account, without accounts that no list can be requested for. */
  readonly #totals = new Map<string, number>();

  constructor(
    private readonly fpId: string,
    private readonly caller: Caller<ReconcileOptions>,
    private readonly known: readonly LakeAccount[],
  ) {
    this.#range = caller.options;
  }

  async run(): Promise<UserResult> {
    for (const { accountId } of this.known) await this.#count(accountId);
    const { accounts: unlisted, rest } = await this.#unlisted();
    const results: AccountResult[] = [];
    for (const account of [...this.known, ...unlisted]) {
      const { linkId, accountId, balance } = account;
      results.push({ linkId, accountId, balance, ...(await this.#judge(account)) });
    }
    return { at: new Date().toISOString(), accounts: [...results, ...rest] };
  }

  async #count(accountId: string): Promise<void> {
    if (this.#totals.has(accountId) || !isUsable(accountId)) return;
    this.#totals.set(accountId, await this.#total(`total-${keyOf(accountId)}`, [accountId]));
  }

  async #total(name: string, accountIds: readonly string[] | undefined): Promise<number> {
    const { body } = await this.caller.once(name, listUserTransactions, this.#listOf(accountIds, 1, 1));
    return body.total;
  }

  #listOf(account_ids: readonly string[] | undefined, page: number, size: number) {
    const { from, to } = this.#range;
    const days = { start_date: from, end_date: to };
    return {
      path: { fp_id: this.fpId },
      query: { account_ids: account_ids && [...account_ids], ...days, page, size },
    };
  }

  /** Accounts that only the service has, and the user's other rows. */
  async #unlisted(): Promise<{ accounts: LakeAccount[]; rest: AccountResult[] }> {
    if (this.#range.links !== undefined) return { accounts: [], rest: [] };
    const total = await this.#total("total", undefined);
    if (total === this.#counted()) return { accounts: [], rest: [] };
    const { body } = await this.caller.once("accounts", listUserAccounts, { path: { fp_id: this.fpId } });
    const accounts: LakeAccount[] = [];
    const named = new Set(this.known.map(({ accountId }) => accountId));
    for (const given of body.accounts) {
      const { id, link_id } = (given ?? {}) as { readonly id?: unknown; readonly link_id?: unknown };
      if (typeof id !== "string" || typeof link_id !== "string") continue;
      if (link_id.trim() === "" || named.has(id)) continue;
      named.add(id);
      await this.#count(id);
      accounts.push(unknownAccount(link_id, id, this.known));
    }
    const left = total - this.#counted();
    return { accounts, rest: left === 0 ? [] : [restOf(left)] };
  }

  #counted(): number {
    return [...this.#totals.values()].reduce((sum, total) => sum + total, 0);
  }

  async #judge(account: LakeAccount): Promise<RowsResult> {
    const { accountId, obstacle, rows, sum } = account;
    const total = this.#totals.get(accountId) ?? null;
    const counted = { lakeRows: rows, serviceRows: total, lakeSum: sum, comparison: null };
    if (total === null) return { ...counted, status: "unknown", reason: "unusable_id" };
    if (obstacle !== null) return { ...counted, status: "unknown", reason: obstacle };
    const open = this.known.filter((one) => one.accountId === accountId && one.obstacle === null);
    if (open.length > 1) return { ...counted, status: "unknown", reason: "account_in_several_links" };
    if (total === rows && !this.#range.rows) return { ...counted, status: "equal", reason: null };
    return { ...counted, ...(await accountLimit(() => this.#compareRows(account))) };
  }

  /** Row by row; nothing differs unless the link's log ends where the lake's rows do. */
  async #compareRows(account: LakeAccount): Promise<ComparedAccount> {
    const { linkId, accountId, quarantined } = account;
    const { from, to } = this.#range;
    const lake = await accountRows(this.caller.lake, { linkId, accountId, from, to });
    if (typeof lake === "string") return { status: "unknown", reason: lake };
    // Answers for an earlier state of the lake say nothing of this one.
    const key = `${keyOf(accountId)}-${lake.head.slice(0, 16)}`;
    const total = this.#totals.get(accountId) ?? 0;
    if (lake.rows === null || total > MOST_ROWS) return this.#compareTotals(key, account, lake.cursor);
    const service = await this.#rows(key, accountId);
    if (typeof service === "string") return { status: "unknown", reason: service };
    const comparison = compareRows(lake.rows, service);
    const counts = { lakeRows: lake.rows.size, serviceRows: service.size, lakeSum: comparison.lakeSum };
    if (isSame(comparison)) return { ...counts, comparison, status: "equal", reason: null };
    // Requested after the list, so that it shows what came in between.
    const news = await this.#news(key, linkId, lake.cursor);
    if (news !== null) return { ...counts, status: "unknown", reason: news };
    return { ...counts, comparison, status: "differs", reason: causeOf(comparison, quarantined) };
  }

  async #compareTotals(key: string, { linkId, accountId, rows }: LakeAccount, cursor: string) {
    if (this.#totals.get(accountId) === rows) return { status: "equal", reason: "too_many_rows" } as const;
    const news = await this.#news(key, linkId, cursor);
    if (news !== null) return { status: "unknown", reason: news } as const;
    return { status: "differs", reason: "too_many_rows" } as const;
  }

  /** All rows of an account's list, or why not: it moved, or had an id twice, in every reading. */
  async #rows(key: string, accountId: string): Promise<ComparedRows | string> {
    let rows: ComparedRows | string = "list_moved";
    for (let restart = 0; restart <= MOST_RESTARTS && typeof rows === "string"; restart += 1)
      rows = await this.#pass(`rows-${key}-${restart}`, accountId);
    return rows;
  }

  async #pass(name: string, accountId: string): Promise<ComparedRows | string> {
    const pass = new ListPass();
    const rows = new Map<string, ComparedRow>();
    for (let page = firstPage(listUserTransactions) ?? 1; ; ) {
      const params = this.#listOf([accountId], page, PAGE_SIZE);
      const { body } = await this.caller.once(`${name}-${page}`, listUserTransactions, params);
      const read = listPage(listUserTransactions, body, page, pass.before);
      for (const item of read.items) {
        const [id, row] = listedRow(item);
        rows.set(id === "" ? `(no id ${rows.size + 1})` : id, row);
      }
      const next = pass.take(read);
      if (next === "moved") return "list_moved";
      if (next === "twice") return ID_TWICE;
      if (next === "end") return rows;
      page = next;
    }
  }

  /** Why the service may be ahead of the link's commit; null where it is not. */
  async #news(key: string, link_id: string, cursor: string): Promise<string | null> {
    try {
      const params = { path: { link_id }, query: { cursor, size: 1 } };
      const { body } = await this.caller.once(`news-${key}`, syncTransactions, params);
      return hasNews(body) ? "moved_since_sync" : null;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal.reason === "not_found" ? "link_gone" : `update ${refusal.reason}`;
    }
  }
}

/** What explains a difference; null for nothing. */
function causeOf({ unlistedPending }: RowComparison, quarantined: number): string | null {
  if (quarantined > 0) return quarantinedReason(quarantined);
  return unlistedPending > 0 ? `replaced_pending ${unlistedPending}` : null;
}

function unknownAccount(linkId: string, accountId: string, known: readonly LakeAccount[]): LakeAccount {
  const sibling = known.find((one) => one.linkId === linkId);
  const { obstacle = null, quarantined = 0 } = sibling ?? {};
  const balance = checkBalance([], undefined, 0);
  return { linkId, accountId, obstacle, quarantined, rows: 0, sum: "0.0000000000", balance };
}

/** Negative where rows went after their account was counted. */
function restOf(left: number): AccountResult {
  const none = { linkId: null, accountId: null, balance: null, comparison: null, status: "unknown" } as const;
  return left < 0
    ? { ...none, reason: "list_moved", lakeRows: null, serviceRows: null, lakeSum: null }
    : { ...none, reason: "rows_of_no_account", lakeRows: 0, serviceRows: left, lakeSum: "0.0000000000" };
}

/** The list takes account ids joined by commas. */
function isUsable(accountId: string): boolean {
  return accountId.trim() !== "" && !accountId.includes(",") && !hasLoneSurrogate(accountId);
}

function keyOf(accountId: string): string {
  return hash("sha256", accountId).slice(0, 16);
}

interface RowsResult {
  readonly status: ReconciliationStatus;
  readonly reason: string | null;
  /** Null where the service had no answer, or its list moved. */
  readonly lakeRows: number | null;
  readonly serviceRows: number | null;
  /** Of signed amounts, decimal text. */
  readonly lakeSum: string | null;
  /** Null for totals only. */
  readonly comparison: RowComparison | null;
}

export interface AccountResult extends RowsResult {
  /** Null for rows without a known account. */
  readonly linkId: string | null;
  readonly accountId: string | null;
  readonly balance: BalanceCheck | null;
}

export interface UserResult {
  /** ISO instant. */
  readonly at: string;
  readonly accounts: readonly AccountResult[];
}

/** A balance that differs counts like a row. */
export function statusOf({ status, balance }: AccountResult): ReconciliationStatus {
  return balance?.status === "differs" ? "differs" : status;
}
