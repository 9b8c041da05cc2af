import type { PendingRule, PendingSetting } from "../../domain/tables/pending-rule.js";
import { localFiles } from "../delta/data-files.js";
import type { AddFile, DeltaAction } from "../delta/delta-actions.js";
import { changesAfter } from "../delta/delta-log.js";
import type { Snapshot } from "../delta/delta-snapshot.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { timestamptz, varchar } from "../tables/columns.js";
import { transactions } from "../tables/transactions.js";
import { strangeWatermark, watermarkActions, watermarkOf } from "../watermark.js";

/** Names the transaction in the log of `transactions` whose version is the place of its rule in {@link RULES}. */
const RULE = "pending";
const RULES: readonly (PendingRule | undefined)[] = [undefined, "listed", "replaced"];

/** The rule that was decided for `transactions`, by the setting or by a sync; undefined before. */
export function decidedRule(current: Snapshot): PendingRule | undefined {
  return RULES[current.txns.get(RULE)?.version ?? 0];
}

/** The rule that `transactions` was made by: as long as none was decided, pending rows live until the service names them. */
export function ruleOf(current: Snapshot): PendingRule {
  return decidedRule(current) ?? "listed";
}

/** The rule that a setting asks for; undefined while `auto` has not decided. */
export function wantedRule(setting: PendingSetting, current: Snapshot): PendingRule | undefined {
  return setting === "auto" ? decidedRule(current) : setting;
}

/** The actions that record a rule: a transaction without a time, so that no checkpoint drops it. */
export function ruleActions(rule: PendingRule | undefined): DeltaAction[] {
  return rule === undefined ? [] : [{ txn: { appId: RULE, version: RULES.indexOf(rule) } }];
}

/** The history whose rows say when the transactions of a link were refreshed. */
export const REFRESHES = "bank_links";

/** Its small table: what came before the watermark counts for rows of the feed that come late. */
const LAST_REFRESHES = "bank_links_current";

const OBSERVED = [...varchar("link_id", "products"), ...timestamptz("observed_at")];

/** What is known of refreshes, for `transactions` as it is made by the rule `replaced`. */
export interface Refreshes {
  /** Local files with observations of bank links. */
  readonly files: readonly string[];
  /** Whether some came since the watermark. */
  readonly isNew: boolean;
  /** The history's state that `transactions` reaches with them; undefined where there is none. */
  readonly head: Snapshot | undefined;
  /** Why all of them are read, and the table is built again. */
  readonly because?: string;
}

/** Finds the observations of refreshes that came since the watermark, and the last one of each link. */
export async function refreshesSince(
  lake: Pick<Lake, "store" | "duckdb" | "table">,
  current: Snapshot,
): Promise<Refreshes> {
  const small = await lake.table(LAST_REFRESHES).snapshot();
  const head = await lake.table(REFRESHES).snapshot();
  const from = watermarkOf(current, REFRESHES);
  if (head.version < 0 && from < 0) return { files: [], isNew: false, head: undefined };
  const { store, duckdb } = lake;
  const read = (table: string, adds: Iterable<AddFile>) => localFiles({ store, duckdb, table }, adds);
  const source = { table: REFRESHES, snapshot: head };
  const strange =
    from < 0
      ? undefined
      : await strangeWatermark(store, { table: transactions.name, snapshot: current }, source);
  const changed =
    from < 0 || strange !== undefined
      ? undefined
      : await changesAfter({ store, duckdb, table: REFRESHES }, from, head);
  if (changed === undefined) {
    const lost = `what came to ${REFRESHES} after version ${from} can't be read any more`;
    const because = from < 0 ? undefined : (strange ?? lost);
    const files = await read(REFRESHES, head.files.values());
    return { files, isNew: true, head, ...(because !== undefined && { because }) };
  }
  const since = await read(
    REFRESHES,
    changed.map(({ add }) => add),
  );
  const last = await read(LAST_REFRESHES, small.files.values());
  return { files: [...since, ...last], isNew: since.length > 0, head };
}

/** The actions that say how far the refreshes are applied. */
export async function refreshActions(
  { store }: Pick<Lake, "store">,
  head: Snapshot | undefined,
): Promise<DeltaAction[]> {
  return head === undefined
    ? []
    : watermarkActions(store, { table: REFRESHES, snapshot: head }, head.version);
}

const REFRESHED = "try(json_extract_string(products, '$.transactions.refreshed_at'))";

/** An instant of the service: without an offset it could be hours away. */
const INSTANT = `case when regexp_matches(${REFRESHED}, '[0-9](Z|[+-][0-9]{2}:?[0-9]{2})$')
  then try_cast(${REFRESHED} as timestamptz) end`;

/**
 * Makes the temp table `newest_update(link_id, run_id, refreshed_at)` for {@link isReplaced}: of each link the run of its newest
 * update in `feed`, which brought at least one row, and the time before which a pending row must have come to have been replaced
 * by a refresh. A refresh counts if it is later than the row and was observed after it: the row itself came with an earlier one.
 *
 * @param feed SQL of rows of the feed; undefined for none
 */
export async function findNewestUpdates(
  sql: SqlSession,
  feed: string | undefined,
  observations: readonly string[],
): Promise<void> {
  const updates = `select link_id, arg_max(run_id, sequence) as run_id from ${feed} group by link_id`;
  await sql.run(`create or replace temp table newest_update as
    from (${feed === undefined ? "select null::varchar as link_id, null::varchar as run_id where false" : updates})
    full join (
      select link_id, max(least(observed_at, refreshed_at)) as refreshed_at
      from (select link_id, observed_at, ${INSTANT} as refreshed_at from ${parquetRows(observations, OBSERVED)})
      where refreshed_at is not null group by link_id
    ) using (link_id)`);
}

/** SQL of whether a row is pending and was replaced; `newest_update` is joined to its relation by `link_id`, as `n`. */
export function isReplaced(row: string): string {
  return `coalesce(${row}.pending and (${row}.run_id <> n.run_id or ${row}.fetched_at < n.refreshed_at), false)`;
}

export const WITH_NEWEST_UPDATE = "left join newest_update n using (link_id)";
