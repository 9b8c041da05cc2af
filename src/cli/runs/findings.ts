import { ANOTHER_SUBJECT } from "../../domain/failures.js";
import { failureAction } from "../../domain/sync/failure-action.js";
import { skippedAction } from "../../domain/sync/link-obstacle.js";
import { JOBS } from "../../jobs/index.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { LATEST_OF_A_LINE } from "../../lake/tables/onboardings.js";
import { rowsOf } from "../lake/query.js";
import type { SeenRun } from "./seen-run.js";

/** Things that ended in the same way in a run, and what to do about them. */
export interface Finding {
  readonly status: string;
  readonly reason: string;
  readonly count: number;
  readonly action: string | null;
  /** The first few: bank links, users, lines of the file. */
  readonly examples: readonly string[];
}

const MOST_REASONS = 20;
const MOST_EXAMPLES = 5;

type FindingRow = Omit<Finding, "action"> & { readonly action?: string | null };

/** Finds what failed, was skipped or waits for somebody in a run that has ended, the most frequent first. */
export async function findingsOf(
  query: LakeQuery,
  run: Pick<SeenRun, "kind" | "run_id" | "job_id">,
): Promise<Finding[]> {
  const rows = await rowsOf<FindingRow>(query, run.kind === "onboard" ? batchSql(run) : runSql(run));
  return rows.map((row) => ({ ...row, action: row.action ?? actionOf(run.kind, row) }));
}

/** Finds the rows that a run of a bulk job skipped, as its tables say. */
export async function skippedIn(query: LakeQuery, { kind, run_id }: SeenRun): Promise<Finding[]> {
  const rows = JOBS.find((job) => job.kind === kind)?.skippedRows?.(run_id);
  if (rows === undefined) return [];
  const sql = `select 'skipped' as status, reason, count(*) as count, ${EXAMPLES("owner")} from (${rows}) ${MOST_FREQUENT}`;
  return (await rowsOf<FindingRow>(query, sql)).map((row) => ({ ...row, action: null }));
}

/** A reason without the masked ids of a mix-up, which differ for each. */
const CODE = (reason: string) => `regexp_replace(${reason}, '${ANOTHER_SUBJECT} .*$', '${ANOTHER_SUBJECT}')`;
/** Reasons that name a count or a link differ in that alone. */
const EXAMPLES = (column: string) => `list(${column} order by ${column})[1:${MOST_EXAMPLES}] as examples`;
const MOST_FREQUENT = `group by all order by status, count desc, reason limit ${MOST_REASONS}`;

function runSql({ run_id }: Pick<SeenRun, "run_id">): string {
  const id = sqlText(run_id);
  return `select status, reason, count(*) as count, ${EXAMPLES("owner")} from (
      select status, ${CODE("coalesce(reason, '')")} as reason, link_id as owner from link_syncs
      where run_id = ${id} and status not in ('synced', 'unchanged', 'superseded')
      union all
      select 'failed', concat_ws(': ', ${CODE("reason")}, message), case when line is null then owner else 'line ' || line || ' ' || owner end
      from run_failures where run_id = ${id}
    ) ${MOST_FREQUENT}`;
}

function batchSql({ job_id }: Pick<SeenRun, "job_id">): string {
  return `select status, coalesce(error_message, '') as reason, next_action as action, count(*) as count,
      ${EXAMPLES("'line ' || line")} from (
      select * from onboardings where batch_id = ${sqlText(job_id ?? "")}
      ${LATEST_OF_A_LINE}
    ) where status <> 'pass' ${MOST_FREQUENT}`;
}

function actionOf(kind: string, { status, reason }: FindingRow): string | null {
  if (kind !== "sync") return null;
  return status === "failed" ? failureAction(reason) : (skippedAction(reason) ?? null);
}
