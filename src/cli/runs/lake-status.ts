import { DAY, SECOND } from "../../domain/duration.js";
import type { FollowProgress } from "../../domain/onboarding/messages.js";
import type { Run } from "../../domain/run.js";
import { type LatestRun, latestRuns } from "../../intake/runs/latest-runs.js";
import { type LastUpkeep, lastUpkeep } from "../../lake/maintain/last-upkeep.js";
import type { LakeQuery } from "../../lake/query/query.js";
import type { LakeReader } from "../../lake/query/query-views.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { accountsTwice, sharedLinks } from "../../lake/sync/lake-check.js";
import { openQuarantine } from "../../lake/sync/quarantine.js";
import { undecidedPending } from "../../lake/sync/unnamed-pending.js";
import { erasures } from "../../lake/tables/erasures.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { onboardings } from "../../lake/tables/onboardings.js";
import { IS_TIMELY, runFailures, runs } from "../../lake/tables/runs.js";
import { accountStream } from "../../streams/accounts.js";
import { bankLinkStream } from "../../streams/bank-links.js";
import { openRows } from "../../temporal/onboarding/open-rows.js";
import { whyNoLake } from "../lake/query.js";
import { withLakeReader } from "../lake/reader.js";
import { type ShownSchedule, shownSchedules } from "../schedules/described.js";
import { type PendingDelivery, pendingDeliveries } from "../session/hook-deliveries.js";
import { unfinishedRuns } from "./unfinished-runs.js";
import type { RunsView } from "./view.js";

interface StaleLink {
  readonly link_id: string;
  /** Null where there never was one. */
  readonly committed_at: string | null;
  readonly status: string;
  readonly reason: string | null;
}

/** How things are: what `status --json` prints. */
export interface LakeStatus {
  readonly lake: string;
  readonly lake_exists: boolean;
  readonly no_lake: string | null;
  readonly latest: readonly LatestRun[];
  readonly unfinished: readonly Run[];
  /** Rows of onboardings that are worked on or waited for; null where there are none, or no worker is there to ask. */
  readonly open_rows: FollowProgress | null;
  /** Deliveries to hooks that are late, or were given up within a day; none where Temporal is not up. */
  readonly hooks: readonly PendingDelivery[];
  readonly quarantined: number;
  readonly shared_links: readonly string[];
  /** Accounts that users have under two links of one bank, and the later link of each. */
  readonly accounts_twice: { readonly accounts: number; readonly links: readonly string[] };
  /** Pending rows that may be gone, while nothing has decided what becomes of older ones. */
  readonly pending_undecided: number;
  readonly stale: { readonly total: number; readonly links: readonly StaleLink[] };
  readonly schedules: readonly (Pick<ShownSchedule, "name" | "paused"> & { readonly next: string | null })[];
  readonly upkeep: LastUpkeep | null;
  /** Runs dated ahead, which count as the last of nothing. */
  readonly dated_ahead: readonly string[];
  /** Why nothing is worked on; null where Temporal is up. */
  readonly offline: string | null;
}

/** Considers links that were read within this time: older ones are of rosters that are gone. */
const WINDOW_MS = 30 * DAY;
const MOST_STALE = 10;
const AHEAD = `select run_id from runs where not ${IS_TIMELY} order by started_at`;

export const STATUS_TABLES = [runs, linkSyncs, runFailures, onboardings, erasures, bankLinkStream.table];

/** Reads how things are. @param staleMs names links without a commit for longer than this */
export async function lakeStatus(view: RunsView, staleMs: number): Promise<LakeStatus> {
  const {
    query,
    missing,
    lake: { config, store },
  } = view;
  const noLake = (await whyNoLake(store)) ?? null;
  const pending = view.client && (await pendingDeliveries(view.client, view.lake.taskQueue));
  return {
    lake: config.lake.address,
    lake_exists: noLake === null,
    no_lake: noLake,
    latest: await latestRuns(query),
    unfinished: await unfinishedRuns(view),
    open_rows: await openNow(view),
    ...(await withLakeReader(store, openThings)),
    hooks: (pending ?? []).filter(({ reason }) => reason !== null),
    stale: await staleLinks(query, staleMs),
    schedules: await nextFirings(view),
    upkeep: (await lastUpkeep(store)) ?? null,
    dated_ahead: (await rowsOf<{ readonly run_id: string }>(query, AHEAD)).map(({ run_id }) => run_id),
    offline: missing ?? null,
  };
}

/** Reads links under two users and accounts under two links, and counts open bad rows. */
async function openThings(
  lake: LakeReader,
): Promise<Pick<LakeStatus, "quarantined" | "shared_links" | "accounts_twice" | "pending_undecided">> {
  const shared_links = await sharedLinks(lake, bankLinkStream.table);
  const accounts_twice = await accountsTwice(lake, [bankLinkStream.table, accountStream.table]);
  const pending_undecided = await undecidedPending(lake);
  const quarantined = (await openQuarantine(lake)).rows;
  return { quarantined, shared_links, accounts_twice, pending_undecided };
}

async function staleLinks(query: LakeQuery, staleMs: number): Promise<LakeStatus["stale"]> {
  const since = new Date(Date.now() - WINDOW_MS - staleMs).toISOString();
  const sql = `select link_id, committed_at, last_status as status, last_reason as reason, count(*) over () as total
    from link_freshness where last_at >= '${since}' and age_s > ${staleMs / SECOND}
    order by committed_at nulls first, link_id limit ${MOST_STALE}`;
  const rows = await rowsOf<StaleLink & { readonly total: number }>(query, sql);
  const links = rows.map(({ total: _, ...link }) => link);
  return { total: rows[0]?.total ?? 0, links };
}

async function openNow({ client, lake: { scope } }: RunsView): Promise<FollowProgress | null> {
  const open = client && (await openRows(client, scope));
  return open === undefined || (open.rows === 0 && open.lost === undefined) ? null : open;
}

async function nextFirings({ client, lake: { scope } }: RunsView): Promise<LakeStatus["schedules"]> {
  if (client === undefined) return [];
  const shown = await shownSchedules(client, scope);
  return shown.map(({ name, paused, next }) => ({ name, paused, next: next[0] ?? null }));
}
