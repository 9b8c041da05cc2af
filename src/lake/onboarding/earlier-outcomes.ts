import type { EarlierOutcome } from "../../domain/onboarding/outcome.js";
import type { Lake } from "../lake.js";
import { readTables } from "../query/query-views.js";
import type { SqlRow, SqlSession } from "../sql/duckdb-session.js";
import { onboardingEvents } from "../tables/onboarding-events.js";
import { LATEST_OF_A_LINE, onboardings } from "../tables/onboardings.js";

/** An earlier outcome with what only its row may know. */
export interface TabledOutcome extends EarlierOutcome {
  readonly fpId: string | null;
  readonly fpBid: string | null;
  readonly externalId: string | null;
  readonly playbookVersion: number | null;
  /** As it stands in the table: sealed, or plain JSON. */
  readonly output: string | null;
  readonly errorClass: string | null;
  readonly errorMessage: string | null;
  readonly startedAt: string | null;
  readonly settledAt: string | null;
  readonly settledBy: string | null;
  readonly nextAction: string | null;
}

/** What the tables know of a range of a batch's rows. */
export interface EarlierOutcomes {
  /** Latest outcome in the batch itself, by line. */
  readonly own: ReadonlyMap<number, TabledOutcome>;
  /** Latest outcome in another batch, by row key. */
  readonly others: ReadonlyMap<string, TabledOutcome>;
}

/**
 * Looks a range of rows up in `onboardings`: by line in their own batch, and by row key in all others. An
 * outcome that was cancelled before anything was posted is no outcome of a key.
 */
export async function earlierOutcomes(
  lake: Lake,
  batchId: string,
  lines: { readonly from: number; readonly to: number },
  rowKeys: readonly string[],
): Promise<EarlierOutcomes> {
  return readTables(lake, [onboardings, onboardingEvents], async (sql) => ({
    own: await ownOutcomes(sql, batchId, lines),
    others: await otherOutcomes(sql, batchId, rowKeys),
  }));
}

async function ownOutcomes(
  sql: SqlSession,
  batchId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Map<number, TabledOutcome>> {
  const rows = await sql.rows(
    `select * from onboardings where batch_id = $1 and line between $2 and $3
     ${LATEST_OF_A_LINE}`,
    [batchId, from, to],
  );
  return new Map(rows.map((row) => [Number(row.line), outcomeOf(row)]));
}

async function otherOutcomes(
  sql: SqlSession,
  batchId: string,
  rowKeys: readonly string[],
): Promise<Map<string, TabledOutcome>> {
  const rows = await sql.rows(
    `with wanted as (select unnest(string_split($1, ',')) as row_key),
     posted as (
       select distinct row_key, batch_id, line, attempt from onboarding_events
       semi join wanted using (row_key) where batch_id <> $2
     )
     select posted.row_key, onboardings.* from onboardings join posted using (batch_id, line, attempt)
     where status <> 'cancelled' or onboarding_id is not null
     qualify row_number() over (
       partition by posted.row_key
       order by coalesce(settled_at, started_at) desc nulls last, attempt desc, version desc
     ) = 1`,
    [rowKeys.join(","), batchId],
  );
  return new Map(rows.map((row) => [String(row.row_key), outcomeOf(row)]));
}

function outcomeOf(row: SqlRow): TabledOutcome {
  return {
    batchId: String(row.batch_id),
    line: Number(row.line),
    attempt: Number(row.attempt),
    version: Number(row.version),
    status: String(row.status),
    onboardingId: text(row.onboarding_id),
    requiresManualReview: row.requires_manual_review as boolean | null,
    fpId: text(row.fp_id),
    fpBid: text(row.fp_bid),
    externalId: text(row.external_id),
    playbookVersion: row.playbook_version === null ? null : Number(row.playbook_version),
    output: text(row.output),
    errorClass: text(row.error_class),
    errorMessage: text(row.error_message),
    startedAt: text(row.started_at),
    settledAt: text(row.settled_at),
    settledBy: text(row.settled_by),
    nextAction: text(row.next_action),
  };
}

function text(value: SqlRow[string] | undefined): string | null {
  return typeof value === "string" ? value : null;
}
