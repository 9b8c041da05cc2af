import { type KnownLink, syncForecast } from "../../../domain/runs/forecast.js";
import type { ScheduledJob } from "../../../intake/schedules/scheduled-job.js";
import { readRoster } from "../../../intake/sync/roster-file.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { rowsOf } from "../../../lake/query/store-query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { STREAMS } from "../../../streams/index.js";
import { observedListings } from "../../../streams/observed-listings.js";
import type { PlannedJob } from "./rows.js";
import { type LinkReadings, syncNights } from "./sync-nights.js";

type ScheduledSync = Extract<ScheduledJob, { readonly kind: "sync" }>;

/** Plans a sync by what the lake knows of the links of its roster. @throws InputError where the roster is wrong */
export async function planSync(
  { roster: path, options }: ScheduledSync,
  { query }: { readonly query: LakeQuery },
): Promise<PlannedJob> {
  const roster = await readRoster(path);
  const users = new Set(roster.rows.map(({ fp_id }) => fp_id));
  const only = options.links === null ? undefined : new Set(options.links);
  const { pageSize } = options;
  const { links, ...nights } = await syncNights(query, { ...options, users: users.size });
  const rows = links.filter(({ fp_id, link_id }) => users.has(fp_id) && (only?.has(link_id) ?? true));
  const seen = new Set(rows.map(({ fp_id }) => fp_id));
  const known = rows.filter(({ gone }) => !gone);
  const hasPages = options.streams.includes("transactions");
  // Users without a link are in no table: a run of the same roster has read them.
  const wasRun = await rowsOf(
    query,
    `select 1 from runs where kind = 'sync' and status in ('completed', 'completed_with_failures') and roster_sha256 = ${sqlText(roster.sha256)} limit 1`,
  );
  const isNew = only === undefined && wasRun.length === 0 ? users.size - seen.size : 0;
  const skipped = new Map<string, number>();
  for (const { skipped: reason } of known)
    if (hasPages && reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  return {
    forecast: syncForecast(
      { all: users.size, isNew },
      hasPages ? known.map((one) => knownLink(one, pageSize)) : null,
      options.full,
      {
        ...nights,
        arrivals: only === undefined ? nights.arrivals : 0,
        lists: nights.lists ?? listsOfUser(options, users.size, known),
      },
    ),
    ...{ rows: users.size, done: 0, invalid: 0 },
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
  };
}

/** A day or less behind is as usual. */
const BEHIND = 1.5;

function knownLink(
  { skipped, first_pages, full_pages, usual, on_weekday, rows_a_day, days_behind }: LinkReadings,
  pageSize: number,
): KnownLink {
  const days = days_behind ?? 0;
  const piledUp = days < BEHIND ? 0 : Math.ceil(((rows_a_day ?? 0) * days) / pageSize);
  return {
    ...{ skipped, firstPages: first_pages, fullPages: full_pages, laterPages: on_weekday ?? usual, piledUp },
  };
}

/** Lists that a user costs where no night tells: one request for each that the streams need, of the user or of a link. */
function listsOfUser(
  { streams, links }: ScheduledSync["options"],
  users: number,
  known: readonly LinkReadings[],
): number {
  const listings = observedListings(STREAMS, streams, links);
  const ofLinks = listings.filter(({ per }) => per === "link").length;
  const readable = known.filter(({ skipped }) => skipped === null).length;
  return listings.length - ofLinks + (ofLinks * readable) / Math.max(1, users);
}
