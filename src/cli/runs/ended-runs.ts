import type { RunStatus } from "../../domain/run.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { runs } from "../../lake/tables/runs.js";
import { rowsOf } from "../lake/query.js";
import type { RunFilter, SeenRun } from "../shell/seen-run.js";

export interface EndedRun extends SeenRun {
  readonly status: RunStatus;
}

const COUNTS = runs.columns.filter(({ type }) => type === "BIGINT").map(({ name }) => name);

/** How many kinds and schedules `status` shows. */
const MOST_LATEST = 10;

type RunRow = Readonly<Record<(typeof runs.columns)[number]["name"], string | number | null>>;

export async function endedRuns(
  query: LakeQuery,
  { kind, status, schedule, since }: RunFilter,
  most: number,
): Promise<EndedRun[]> {
  const conditions = [
    ...(kind === undefined ? [] : [`kind = ${sqlText(kind)}`]),
    ...(status === undefined ? [] : [`status = ${sqlText(status)}`]),
    ...(schedule === undefined ? [] : [`schedule = ${sqlText(schedule)}`]),
    ...(since === undefined ? [] : [`started_at >= ${sqlText(since)}`]),
  ];
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const limit = Number.isFinite(most) ? `limit ${most}` : "";
  const sql = `select * from runs ${where} order by started_at desc, run_id ${limit}`;
  return (await rowsOf<RunRow>(query, sql)).map(seenRun);
}

export async function latestRuns(query: LakeQuery): Promise<EndedRun[]> {
  const sql = `select * from runs where started_at > now() - interval 30 days
    qualify row_number() over (partition by kind, schedule order by started_at desc) = 1
    order by started_at desc limit ${MOST_LATEST}`;
  return (await rowsOf<RunRow>(query, sql)).map(seenRun);
}

export async function endedRun(query: LakeQuery, runId: string): Promise<EndedRun | undefined> {
  const [row] = await rowsOf<RunRow>(query, `select * from runs where run_id = ${sqlText(runId)}`);
  return row && seenRun(row);
}

function seenRun(row: RunRow): EndedRun {
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
    options: row.options === null ? null : (JSON.parse(String(row.options)) as EndedRun["options"]),
    reason: textOf(row.reason) as EndedRun["reason"],
    message: textOf(row.message),
  };
}

function textOf(value: string | number | null): string | null {
  return value === null || value === "" ? null : String(value);
}

function instantOf(value: string | number | null): string | null {
  return value === null ? null : new Date(String(value)).toISOString();
}
