import type { ComparedRow } from "../../../domain/bulk/reconcile/compared-rows.js";
import { linkObstacle } from "../../../domain/sync/link-obstacle.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { factsOf, holdsLinks } from "../../delta/delta-stats.js";
import type { Lake } from "../../lake.js";
import { materialize } from "../../materialize/materialize.js";
import { snapshotView } from "../../query/query-views.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { linkCheckpoint } from "../../sync/link-checkpoint.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { sinceWatermark } from "../../watermark.js";

/** `transactions` and the feed at states that say the same: the rows of each link are those of its committed cursor. */
export interface SyncedState {
  readonly feed: Snapshot;
  readonly rows: Snapshot;
}

/** Where a link's committed rows end. */
interface LinkPosition {
  /** Null where the link was committed without one. */
  readonly cursor: string | null;
  /** Certificate of its last committed update. */
  readonly head: string;
}

/** Syncs may commit while `transactions` is brought up, so often in a row at most. */
const MOST_TRIES = 10;

/** Brings `transactions` up, and finds a state at which it has every row of the feed; undefined while syncs go on. */
export async function syncedState(lake: Lake): Promise<SyncedState | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    await materialize(lake);
    const rows = await lake.table(transactions.name).snapshot();
    const feed = await lake.table(transactionChanges.name).snapshot();
    if (feed.version < 0) return { feed, rows };
    const { changed } = await sinceWatermark(
      lake,
      { table: transactions.name, snapshot: rows },
      { table: transactionChanges.name, snapshot: feed },
    );
    if (changed?.length === 0) return { feed, rows };
  }
  return undefined;
}

/** Where a link's rows of a state end; undefined where nothing of it was ever committed. */
export function positionOf({ feed }: SyncedState, linkId: string): LinkPosition | undefined {
  const checkpoint = linkCheckpoint(feed, linkId);
  return checkpoint && { cursor: checkpoint.cursor, head: checkpoint.head };
}

/** Gives the SQL of a table's view at a state, over those of its files that may hold rows of some links. */
export function viewAt(
  lake: Lake,
  spec: TableSpec,
  snapshot: Snapshot,
  links: readonly string[],
): Promise<string> {
  const byBytes = [...links].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const [first, last] = [byBytes[0], byBytes.at(-1)];
  const holds = first === undefined || last === undefined ? () => false : holdsLinks(first, last);
  return snapshotView(lake, spec, snapshot, (file) => holds(factsOf(file)));
}

/** What the lake last saw of a link besides its rows. */
export interface ListedLink {
  /** As in `bank_links`; null where the lake has no row of it. */
  readonly state: string | null;
  readonly errorCode: string | null;
  readonly gone: boolean;
  /** Why the last sync that looked at it skipped it. */
  readonly skipped: string | null;
}

/** Why a link's rows can't be compared; null where they can be. */
export function obstacleOf(link: ListedLink, position: LinkPosition | undefined): string | null {
  if (link.gone) return "link_gone";
  const obstacle = link.state === null ? null : linkObstacle(link.state, link.errorCode);
  if (obstacle !== null || link.skipped !== null) return obstacle ?? link.skipped;
  if (position === undefined) return "never_synced";
  return position.cursor === null ? "no_cursor" : null;
}

/** The account that is read, and the days. */
interface AskedAccount {
  readonly linkId: string;
  readonly accountId: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** An account's live rows are read up to so many: all of them are in memory at once. */
export const MOST_ROWS = 200_000;

/** Reads the live rows of one account (null where they are too many) and where they end, or says why they can't be compared. */
export async function accountRows(lake: Lake, asked: AskedAccount) {
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
