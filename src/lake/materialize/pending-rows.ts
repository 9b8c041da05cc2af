import type { PendingRule, PendingSetting } from "../../domain/tables/pending-rule.js";
import type { DeltaAction } from "../delta/delta-actions.js";
import { NO_TABLE, type Snapshot } from "../delta/delta-snapshot.js";
import { historyFiles, historyState, wholeHistory } from "../history/history-files.js";
import type { HistorySpec } from "../history/history-spec.js";
import type { Lake } from "../lake.js";
import { parquetRows } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { timestamptz, varchar } from "../tables/columns.js";
import type { Expiry } from "./rewrite.js";

/** A transaction whose version is the rule's place in {@link RULES}. */
const RULE = "pending";
const RULES: readonly (PendingRule | undefined)[] = [undefined, "listed", "replaced"];

/** By the setting or by a sync; undefined before. */
export function decidedRule(current: Snapshot): PendingRule | undefined {
  return RULES[current.txns.get(RULE)?.version ?? 0];
}

/** The rule of `transactions`; until one is decided, pending rows live until the service names them. */
export function ruleOf(current: Snapshot): PendingRule {
  return decidedRule(current) ?? "listed";
}

/** Undefined while `auto` has not decided. */
export function wantedRule(setting: PendingSetting, current: Snapshot): PendingRule | undefined {
  return setting === "auto" ? decidedRule(current) : setting;
}

/** A transaction without a time, so that no checkpoint drops it. */
export function ruleActions(rule: PendingRule | undefined): DeltaAction[] {
  return rule === undefined ? [] : [{ txn: { appId: RULE, version: RULES.indexOf(rule) } }];
}

const OBSERVED = [...varchar("link_id", "products"), ...timestamptz("observed_at")];

/** When transactions of a link were refreshed. */
const LINKS: HistorySpec = {
  ...{ name: "bank_links", columns: OBSERVED, key: ["link_id"], owner: [] },
  ...{ current: "bank_links_current", mark: "gone", lists: "all" },
};
export const REFRESHES = LINKS.name;

/** Refreshes, by which pending rows are replaced. */
interface Refreshes {
  /** Rows of bank links. */
  readonly files: readonly string[];
  /** Their state of `bank_links`. */
  readonly head: Snapshot;
}

/** Each link's last observation and what came since, or all for rows of any age. */
export async function refreshes(
  lake: Pick<Lake, "store" | "duckdb" | "table">,
  every: boolean,
): Promise<Refreshes> {
  const state = await historyState(lake, LINKS);
  if (state.history.version < 0) return { files: [], head: NO_TABLE };
  const { current, since } = await (every ? wholeHistory : historyFiles)(lake, state);
  return { files: [...current, ...since], head: state.history };
}

const REFRESHED = "try(json_extract_string(products, '$.transactions.refreshed_at'))";

/** Without an offset it could be hours away. */
const INSTANT = `case when regexp_matches(${REFRESHED}, '[0-9](Z|[+-][0-9]{2}:?[0-9]{2})$')
  then try_cast(${REFRESHED} as timestamptz) end`;

/**
 * Makes the temp table `newest_update(link_id, run_id, refreshed_at)`: each link's newest update in `feed` with a row,
 * and the time before which a pending row must have come to be replaced by a refresh that is later and was observed
 * after it.
 * @param feed SQL of rows of the feed
 */
async function findNewestUpdates(
  sql: SqlSession,
  feed: string,
  observations: readonly string[],
): Promise<void> {
  await sql.run(`create or replace temp table newest_update as
    from (select link_id, arg_max(run_id, sequence) as run_id from ${feed} group by link_id)
    full join (
      select link_id, max(least(observed_at, refreshed_at)) as refreshed_at
      from (select link_id, observed_at, ${INSTANT} as refreshed_at from ${parquetRows(observations, OBSERVED)})
      where refreshed_at is not null group by link_id
    ) using (link_id)`);
}

/** Over `newest_update`, joined by `link_id` as `n`. */
function isReplaced(row: string): string {
  return `coalesce(${row}.pending and (${row}.run_id <> n.run_id or ${row}.fetched_at < n.refreshed_at), false)`;
}

/** How pending rows leave: those of their link's newest update stay, and older ones of links without one. */
export function expiryOf(observations: readonly string[]): Expiry {
  return {
    prepare: (sql, since) => findNewestUpdates(sql, since, observations),
    join: "left join newest_update n using (link_id)",
    added: isReplaced("t"),
    live: "(t.pending and (n.run_id is not null or t.fetched_at < n.refreshed_at))",
  };
}
