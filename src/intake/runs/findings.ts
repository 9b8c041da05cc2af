import { ANOTHER_SUBJECT } from "../../domain/failures.js";
import type { Finding, Run } from "../../domain/run.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { tablesOfKind } from "./kind-tables.js";

const MOST_REASONS = 20;
const MOST_EXAMPLES = 5;
const MOST_SLOW = 3;

type FindingRow = Omit<Finding, "action"> & { readonly action?: string | null };

/** Finds what failed, was skipped or waits for somebody in a run that has ended, the most frequent first. */
export async function findingsOf(
  query: LakeQuery,
  run: Pick<Run, "kind" | "run_id" | "job_id">,
): Promise<Finding[]> {
  const kind = tablesOfKind(run.kind);
  const found = kind?.problemRows?.(run) ?? failedRows(run);
  const sql = `select * exclude (owner), count(*) as count, ${EXAMPLES} from (${found}) ${MOST_FREQUENT}`;
  const rows = await rowsOf<FindingRow>(query, sql);
  return rows.map((row) => ({ ...row, action: row.action ?? kind?.action?.(row) ?? null }));
}

export async function skippedIn(query: LakeQuery, { kind, run_id }: Run): Promise<Finding[]> {
  const rows = tablesOfKind(kind)?.skippedRows?.(run_id);
  if (rows === undefined) return [];
  const sql = `select 'skipped' as status, reason, count(*) as count, ${EXAMPLES} from (${rows}) ${MOST_FREQUENT}`;
  return (await rowsOf<FindingRow>(query, sql)).map((row) => ({ ...row, action: null }));
}

/** What to do about bad rows that a run brought: what it read besides is committed. */
export function quarantinedIn({ run_id, counts: { quarantined = 0 } }: Run): Finding[] {
  if (quarantined === 0) return [];
  const reason = quarantined === 1 ? "bad row" : "bad rows";
  const action = `nightledger quarantine list --run ${run_id}`;
  return [{ status: "quarantined", reason, count: quarantined, action, examples: [] }];
}

/** Finds which of some examples of a run's findings are bank links. */
export async function linksAmong(
  query: LakeQuery,
  runId: string,
  examples: readonly string[],
): Promise<string[]> {
  if (examples.length === 0) return [];
  const sql = `select distinct link_id from link_syncs
    where run_id = ${sqlText(runId)} and link_id in (${examples.map(sqlText).join(", ")}) order by link_id`;
  return (await rowsOf<{ readonly link_id: string }>(query, sql)).map(({ link_id }) => link_id);
}

/** How long a sync took over a bank link, from when it was found. */
export interface SlowLink {
  readonly link_id: string;
  readonly ms: number;
  readonly pages: number;
}

/** Finds the links that a run took longest over, of those that it tried to read. */
export function slowestLinks(query: LakeQuery, runId: string): Promise<SlowLink[]> {
  const sql = `select link_id, epoch_ms(finished_at) - epoch_ms(started_at) as ms, coalesce(pages, 0) as pages from link_syncs
    where run_id = ${sqlText(runId)} and status <> 'skipped' order by ms desc, pages desc, link_id limit ${MOST_SLOW}`;
  return rowsOf<SlowLink>(query, sql);
}

/** A reason without the masked ids of a mix-up, which differ for each. */
const CODE = (reason: string) => `regexp_replace(${reason}, '${ANOTHER_SUBJECT} .*$', '${ANOTHER_SUBJECT}')`;
/** The first of those that ended alike. */
const EXAMPLES = `list(owner order by owner)[1:${MOST_EXAMPLES}] as examples`;
const MOST_FREQUENT = `group by all order by status, count desc, reason limit ${MOST_REASONS}`;

/** Selects what failed, was skipped or waits in a run, by the tables of every kind. */
function failedRows({ run_id }: Pick<Run, "run_id">): string {
  const id = sqlText(run_id);
  return `select status, ${CODE("coalesce(reason, '')")} as reason, link_id as owner from link_syncs
      where run_id = ${id} and status not in ('synced', 'unchanged', 'superseded')
      union all
      select 'failed', concat_ws(': ', ${CODE("reason")}, message), case when line is null then owner else 'line ' || line || ' ' || owner end
      from run_failures where run_id = ${id}`;
}
