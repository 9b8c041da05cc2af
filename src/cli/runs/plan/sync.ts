import { type KnownLink, type PastRuns, syncForecast } from "../../../domain/runs/forecast.js";
import type { ScheduledJob } from "../../../intake/schedules/scheduled-job.js";
import { readRoster } from "../../../intake/sync/roster-file.js";
import type { LakeQuery } from "../../../lake/query/query.js";
import { sqlText } from "../../../lake/sql/duckdb-sql.js";
import { rowsOf } from "../../lake/query.js";
import type { PlannedJob } from "./rows.js";

type ScheduledSync = Extract<ScheduledJob, { readonly kind: "sync" }>;

/** The newest row of each link, with the pages of its first and of its last later reading. */
const KNOWN_LINKS = `select fp_id, link_id,
    case when arg_max(status, finished_at) = 'skipped' then arg_max(reason, finished_at) end as skipped,
    arg_max(pages, finished_at) filter (certificate is not null and cursor_in is null) as "firstPages",
    arg_max(pages, finished_at) filter (certificate is not null and cursor_in is not null) as "laterPages",
    coalesce(arg_max(reason, finished_at), '') in ('link_gone', 'superseded') as gone
  from link_syncs group by fp_id, link_id`;

interface KnownRow extends KnownLink {
  readonly fp_id: string;
  readonly link_id: string;
  readonly gone: boolean;
}

/** Plans a sync by what the lake knows of the links of its roster. @throws InputError where the roster is wrong */
export async function planSync(
  { roster: path, options }: ScheduledSync,
  { past, query }: { readonly past: PastRuns; readonly query: LakeQuery },
): Promise<PlannedJob> {
  const roster = await readRoster(path);
  const users = new Set(roster.rows.map(({ fp_id }) => fp_id));
  const only = options.links === null ? undefined : new Set(options.links);
  const rows = (await rowsOf<KnownRow>(query, KNOWN_LINKS)).filter(
    ({ fp_id, link_id }) => users.has(fp_id) && (only?.has(link_id) ?? true),
  );
  const seen = new Set(rows.map(({ fp_id }) => fp_id));
  const known = rows.filter(({ gone }) => !gone);
  // Users without a link are in no table: a run of the same roster has read them.
  const wasRun = await rowsOf(
    query,
    `select 1 from runs where kind = 'sync' and status in ('completed', 'completed_with_failures') and roster_sha256 = ${sqlText(roster.sha256)} limit 1`,
  );
  const isNew = only === undefined && wasRun.length === 0 ? users.size - seen.size : 0;
  const skipped = new Map<string, number>();
  for (const { skipped: reason } of known)
    if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  return {
    forecast: syncForecast({ all: users.size, isNew }, known, past, options.full),
    ...{ rows: users.size, done: 0, invalid: 0 },
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
  };
}
