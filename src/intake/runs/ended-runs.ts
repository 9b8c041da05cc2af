import type { ShownPhase } from "../../domain/phases.js";
import type { Finding, Run, RunFilter, RunStatus } from "../../domain/run.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { runFailures, runs } from "../../lake/tables/runs.js";
import { findingsOf, quarantinedIn, type SlowLink, skippedIn, slowestLinks } from "./findings.js";
import { tablesOfKind } from "./kind-tables.js";

const COUNTS = runs.columns.filter(({ type }) => type === "BIGINT").map(({ name }) => name);

export interface RunDay {
  /** `2026-11-21` */
  readonly day: string;
  readonly completed: number;
  /** With failures, or as a whole. */
  readonly failed: number;
  readonly cancelled: number;
  /** Created, updated and removed. */
  readonly rows: number;
}

export type RunRow = Readonly<Record<(typeof runs.columns)[number]["name"], string | number | null>>;

export async function endedRuns(query: LakeQuery, filter: RunFilter, most: number): Promise<Run[]> {
  const limit = Number.isFinite(most) ? `limit ${most}` : "";
  const sql = `select * from runs ${whereOf(filter)} order by started_at desc, run_id ${limit}`;
  return (await rowsOf<RunRow>(query, sql)).map(runOfRow);
}

/** Counts runs that ended, whole and by day. @param since ISO instant from which days are counted */
export async function countedRuns(
  query: LakeQuery,
  filter: RunFilter,
  since: string,
): Promise<{ readonly total: number; readonly days: readonly RunDay[] }> {
  const [counted] = await rowsOf<{ readonly total: number }>(
    query,
    `select count(*) as total from runs ${whereOf({ ...filter, after: undefined })}`,
  );
  const days = await rowsOf<RunDay>(
    query,
    `select strftime(started_at, '%Y-%m-%d') as day, count(*) filter (status = 'completed') as completed,
      count(*) filter (status in ('failed', 'completed_with_failures')) as failed,
      count(*) filter (status = 'cancelled') as cancelled,
      sum(coalesce(created, 0) + coalesce(updated, 0) + coalesce(removed, 0)) as rows
    from runs ${whereOf({ ...filter, since, after: undefined })} group by day order by day`,
  );
  return { total: counted?.total ?? 0, days };
}

export async function schedulesOfRuns(query: LakeQuery): Promise<string[]> {
  const sql = "select distinct schedule from runs where schedule is not null order by schedule";
  return (await rowsOf<{ readonly schedule: string }>(query, sql)).map(({ schedule }) => schedule);
}

function whereOf({ run_id, kind, status, schedule, since, after }: RunFilter): string {
  const startOf = (id: string) => `(select started_at from runs where run_id = ${sqlText(id)})`;
  const conditions = [
    ...(run_id === undefined ? [] : [`run_id = ${sqlText(run_id)}`]),
    ...(kind === undefined ? [] : [`kind = ${sqlText(kind)}`]),
    ...(status === undefined ? [] : [`status = ${sqlText(status)}`]),
    ...(schedule === undefined ? [] : [`schedule = ${sqlText(schedule)}`]),
    ...(since === undefined ? [] : [`started_at >= ${sqlText(since)}`]),
    ...(after === undefined
      ? []
      : [
          `(started_at < ${startOf(after)} or (started_at = ${startOf(after)} and run_id > ${sqlText(after)}))`,
        ]),
  ];
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

/** Everything that is known of a run, as `runs show --json` prints it. */
export interface RunDetails extends Run {
  /** The lake's root when the run ended (docs/use/tables.md, "Root"); null before that, or if it could not be computed. */
  readonly lake_root: string | null;
  /** The command line that asked for it; null where nobody typed one, and until it has ended. */
  readonly command: string | null;
  /** What it did, in the order in which that began; none until it has ended. */
  readonly phases: readonly ShownPhase[];
  readonly duration_ms: number | null;
  readonly findings: readonly Finding[];
  /** The bank links that a sync took longest over. */
  readonly slowest: readonly SlowLink[];
}

/** What {@link runDetails} reads for a run of a kind. */
export function detailTables(kind = ""): readonly TableSpec[] {
  return [runs, linkSyncs, runFailures, ...(tablesOfKind(kind)?.tables ?? [])];
}

/** Reads what is known of a run that has ended; undefined for any other. */
export async function runDetails(query: LakeQuery, id: string): Promise<RunDetails | undefined> {
  const [row] = await rowsOf<RunRow>(query, `select * from runs where run_id = ${sqlText(id)}`);
  if (row === undefined) return undefined;
  const run = runOfRow(row);
  const { started_at, finished_at } = run;
  return {
    ...run,
    counts: { ...run.counts, ...(await ownCounts(query, run)) },
    lake_root: textOf(row.lake_root),
    command: textOf(row.command),
    phases: row.phases === null ? [] : JSON.parse(String(row.phases)),
    duration_ms: finished_at === null ? null : Date.parse(finished_at) - Date.parse(started_at),
    progress: null,
    findings: [...(await findingsOf(query, run)), ...(await skippedIn(query, run)), ...quarantinedIn(run)],
    slowest: await slowestLinks(query, id),
  };
}

async function ownCounts(query: LakeQuery, { kind, run_id }: Run): Promise<Record<string, number>> {
  const counted = tablesOfKind(kind)?.countedRows?.(run_id);
  if (counted === undefined) return {};
  const rows = await rowsOf<{ readonly name: string; readonly count: number }>(query, counted);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

export function runOfRow(row: RunRow): Run {
  const counts = COUNTS.flatMap((name) => (row[name] === null ? [] : [[name, Number(row[name])] as const]));
  return {
    run_id: String(row.run_id),
    kind: String(row.kind),
    job_id: textOf(row.job_id),
    status: String(row.status) as RunStatus,
    schedule: textOf(row.schedule),
    scheduled_at: instantOf(row.scheduled_at),
    started_at: instantOf(row.started_at) ?? "",
    finished_at: instantOf(row.finished_at),
    counts: Object.fromEntries(counts),
    options: row.options === null ? null : (JSON.parse(String(row.options)) as Run["options"]),
    reason: textOf(row.reason) as Run["reason"],
    message: textOf(row.message),
  };
}

function textOf(value: string | number | null): string | null {
  return value === null || value === "" ? null : String(value);
}

function instantOf(value: string | number | null): string | null {
  return value === null ? null : new Date(String(value)).toISOString();
}
