import type { Finding, Run } from "../../domain/run.js";
import { actionFor } from "../../domain/sync/link-obstacle.js";
import { JOBS } from "../../jobs/index.js";
import type { TableSpec } from "../../lake/delta/delta-schema.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { LATEST_OF_A_LINE, onboardings } from "../../lake/tables/onboardings.js";

/** What the tables tell of one kind of run besides its row in `runs`. */
interface KindTables {
  readonly kind: string;
  /** Its own tables, which its queries read. */
  readonly tables?: readonly TableSpec[];
  /** Selects things of a run that did not end well, with `owner`; left out: by the tables that every other kind writes. */
  problemRows?(run: Pick<Run, "job_id">): string;
  /** Selects rows that a run skipped, with `reason` and `owner`. */
  skippedRows?(runId: string): string;
  /** Selects what its tables count besides rows: `name` and `count`. */
  countedRows?(runId: string): string;
  /** The action to take about a finding that does not name one itself. */
  action?(finding: Pick<Finding, "status" | "reason">): string | null;
}

const SYNC: KindTables = {
  kind: "sync",
  action: ({ status, reason }) => actionFor(status, reason),
};

const ONBOARD: KindTables = {
  kind: "onboard",
  tables: [onboardings],
  problemRows: ({ job_id }) =>
    `select status, coalesce(error_message, '') as reason, next_action as action, 'line ' || line as owner from (
      select * from onboardings where batch_id = ${sqlText(job_id ?? "")} ${LATEST_OF_A_LINE}
    ) where status <> 'pass' or requires_manual_review`,
};

const KINDS: readonly KindTables[] = [SYNC, ONBOARD, ...JOBS];

export const KIND_TABLES: readonly TableSpec[] = [...new Set(KINDS.flatMap(({ tables = [] }) => tables))];

export function tablesOfKind(kind: string): KindTables | undefined {
  return KINDS.find((one) => one.kind === kind);
}
