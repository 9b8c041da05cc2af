import type { BalanceCheck } from "../../../domain/bulk/reconcile/balance.js";
import type { ComparedRow } from "../../../domain/bulk/reconcile/compared-rows.js";
import { isReadState, linkObstacle } from "../../../domain/sync/link-obstacle.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { factsOf, holdsLinks } from "../../delta/delta-stats.js";
import type { Lake } from "../../lake.js";
import { materialize } from "../../materialize/materialize.js";
import { newestView, snapshotView } from "../../query/query-views.js";
import type { SqlRow, SqlSession } from "../../sql/duckdb-session.js";
import { sqlList, sqlText } from "../../sql/duckdb-sql.js";
import { linkCheckpoint } from "../../sync/link-checkpoint.js";
import { withQuarantine } from "../../sync/quarantine.js";
import { boolean, money, timestamptz, varchar } from "../../tables/columns.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { sourceSince } from "../../watermark.js";
import { checkBalances } from "./balances.js";

interface AskedUsers {
  readonly fpIds: readonly string[];
  /** Default: all. */
  readonly links?: readonly string[] | undefined;
  /** Default: no bound. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface LakeAccount {
  readonly linkId: string;
  readonly accountId: string;
  /** Why its rows can't be compared; null where they can. */
  readonly obstacle: string | null;
  readonly rows: number;
  /** Of signed amounts, decimal text. */
  readonly sum: string;
  /** Open rows of its link. */
  readonly quarantined: number;
  readonly balance: BalanceCheck;
}

/** The lake's accounts of some users, at one state. */
export async function lakeAccounts(lake: Lake, asked: AskedUsers): Promise<Map<string, LakeAccount[]>> {
  const state = await syncedState(lake);
  const pinned = state ?? (await newestState(lake));
  const quarantined = await openRows(lake);
  const views = [accounts, bankLinks, linkSyncs];
  const statements: string[] = [];
  for (const spec of views) statements.push(await newestView(lake, spec));
  return lake.duckdb.exclusive(async (sql) => {
    for (const statement of statements) await sql.run(statement);
    const links = await linksOf(sql, asked);
    await sql.run(await viewAt(lake, transactions, pinned.rows, [...links.keys()]));
    await sql.run(await viewAt(lake, transactionChanges, pinned.feed, [...links.keys()]));
    const known = await knownAccounts(sql, asked, [...links.keys()]);
    const balances = await checkBalances(sql, (linkId) => quarantined.get(linkId) ?? 0);
    const found = new Map<string, LakeAccount[]>();
    for (const row of known) {
      const [fpId, linkId, accountId] = [String(row.fp_id), String(row.link_id), String(row.account_id)];
      const listed = links.get(linkId) ?? { state: null, errorCode: null, gone: false, skipped: null };
      const obstacle =
        state === undefined ? "being_synced" : obstacleOf(listed, linkCheckpoint(pinned.feed, linkId));
      found.set(fpId, [
        ...(found.get(fpId) ?? []),
        {
          ...{ linkId, accountId, obstacle, rows: Number(row.rows), sum: String(row.sum) },
          ...{ quarantined: quarantined.get(linkId) ?? 0, balance: balances(fpId, linkId, accountId) },
        },
      ]);
    }
    return found;
  });
}

async function newestState(lake: Lake): Promise<SyncedState> {
  const rows = await lake.table(transactions.name).snapshot();
  return { rows, feed: await lake.table(transactionChanges.name).snapshot() };
}

async function openRows(lake: Lake): Promise<Map<string, number>> {
  const rows = await withQuarantine(lake, (sql) =>
    sql.rows(`select link_id, count(*) as rows from quarantine_open
      where stream = 'transactions' and link_id is not null group by link_id`),
  );
  return new Map(rows.map(({ link_id, rows }) => [String(link_id), Number(rows)]));
}

/** The users' links as last listed, and why the last sync skipped them. Makes the table `asked_users`. */
async function linksOf(sql: SqlSession, { fpIds, links }: AskedUsers): Promise<Map<string, ListedLink>> {
  await sql.run(`create temp table asked_users as select unnest(${sqlList(fpIds)}) as fp_id`);
  const only = links === undefined ? "true" : `list_contains(${sqlList(links)}, link_id)`;
  const rows = await sql.rows(`
    with listed as (
      select link_id, arg_max({state: state, error_code: error_code, gone: gone is true}, observed_at) as last
      from bank_links semi join asked_users using (fp_id) group by link_id
    ), synced as (
      select link_id, arg_max(if(status = 'skipped', coalesce(reason, ''), ''), finished_at) as skipped
      from link_syncs semi join asked_users using (fp_id)
      where reason is distinct from 'superseded' group by link_id
    ), known as (
      select link_id from listed union select link_id from synced
      union select link_id from accounts semi join asked_users using (fp_id)
    )
    select link_id, nullif(last.state, '') as state, nullif(last.error_code, '') as "errorCode",
      last.gone is true as gone, nullif(skipped, '') as skipped
    from known left join listed using (link_id) left join synced using (link_id)
    where link_id is not null and ${only}`);
  return new Map(rows.map(({ link_id, ...link }) => [String(link_id), link as unknown as ListedLink]));
}

/** The users' accounts with their `transactions`. Makes the table `known_accounts`. */
async function knownAccounts(
  sql: SqlSession,
  asked: AskedUsers,
  links: readonly string[],
): Promise<SqlRow[]> {
  await sql.run(`
    create temp table known_accounts as
    select * from (
      select fp_id, link_id, account_id from accounts semi join asked_users using (fp_id)
      union select fp_id, link_id, account_id from transactions semi join asked_users using (fp_id))
    where list_contains(${sqlList(links)}, link_id)`);
  return sql.rows(`
    with live as (
      select link_id, account_id, count(*) as rows, sum(signed_amount)::varchar as sum, list(distinct fp_id) as owners
      from transactions where ${daysOf(asked)} group by link_id, account_id
    ), newest as (
      select fp_id, link_id, account_id, arg_max(gone is true, observed_at) as gone
      from accounts semi join asked_users using (fp_id) group by all
    )
    select k.fp_id, k.link_id, k.account_id, coalesce(live.rows, 0) as rows, coalesce(live.sum, '0.0000000000') as sum
    from known_accounts k left join live using (link_id, account_id)
      left join newest using (fp_id, link_id, account_id)
    where newest.gone is not true or list_contains(live.owners, k.fp_id)
    order by all`);
}

const OBSERVED = [...varchar("run_id", "fp_id", "link_id"), ...timestamptz("observed_at")];

/** Only the columns that a reconciliation reads. */
const accounts: TableSpec = {
  name: "accounts",
  columns: [
    ...OBSERVED,
    ...varchar("account_id"),
    ...money("balance_current"),
    ...varchar("balance_currency"),
    ...boolean("gone"),
  ],
};

const bankLinks: TableSpec = {
  name: "bank_links",
  columns: [...OBSERVED, ...varchar("state", "error_code"), ...boolean("gone")],
};

/** `transactions` and the feed at one state: each link's rows are those of its committed cursor. */
interface SyncedState {
  readonly feed: Snapshot;
  readonly rows: Snapshot;
}

/** Syncs may commit meanwhile. */
const MOST_TRIES = 10;

/** Materializes `transactions` until it has every row of the feed; undefined while syncs go on. */
async function syncedState(lake: Lake): Promise<SyncedState | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    await materialize(lake);
    const rows = await lake.table(transactions.name).snapshot();
    const feed = await lake.table(transactionChanges.name).snapshot();
    if (feed.version < 0) return { feed, rows };
    const { whole, adds } = await sourceSince(
      lake,
      { table: transactions.name, snapshot: rows },
      { table: transactionChanges.name, snapshot: feed },
    );
    if (!whole && adds.length === 0) return { feed, rows };
  }
  return undefined;
}

/** A view over files that may hold rows of some links. */
function viewAt(lake: Lake, spec: TableSpec, snapshot: Snapshot, links: readonly string[]): Promise<string> {
  const byBytes = [...links].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const [first, last] = [byBytes[0], byBytes.at(-1)];
  const holds = first === undefined || last === undefined ? () => false : holdsLinks(first, last);
  return snapshotView(lake, spec, snapshot, (file) => holds(factsOf(file)));
}

interface ListedLink {
  /** Null where the lake has no row of it. */
  readonly state: string | null;
  readonly errorCode: string | null;
  readonly gone: boolean;
  /** By the last sync that looked at it. */
  readonly skipped: string | null;
}

/** Null where rows can be compared. */
function obstacleOf(link: ListedLink, committed: ReturnType<typeof linkCheckpoint>): string | null {
  if (link.gone) return "link_gone";
  const isRead = link.state === null || isReadState(link.state);
  const obstacle = link.state === null ? null : linkObstacle(link.state, link.errorCode);
  if (!isRead || link.skipped !== null) return obstacle ?? link.skipped;
  if (committed === undefined) return "never_synced";
  return committed.cursor === null ? "no_cursor" : null;
}

interface AskedAccount {
  readonly linkId: string;
  readonly accountId: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** All of an account's live rows are in memory at once. */
export const MOST_ROWS = 200_000;

/** An account's live rows (null for too many) and where they end, or why they can't be compared. */
export async function accountRows(lake: Lake, asked: AskedAccount) {
  const state = await syncedState(lake);
  if (state === undefined) return "being_synced";
  const committed = linkCheckpoint(state.feed, asked.linkId);
  if (committed === undefined) return "never_synced";
  const { cursor, head } = committed;
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

function daysOf({ from, to }: Pick<AskedAccount, "from" | "to">): string {
  const first = from === undefined ? "true" : `date >= ${sqlText(from)}::date`;
  const last = to === undefined ? "true" : `date <= ${sqlText(to)}::date`;
  return `${first} and ${last}`;
}
