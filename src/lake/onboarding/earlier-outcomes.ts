import type { OutcomeRow } from "../../domain/onboarding/outcome.js";
import { OUTCOME_COLUMNS } from "../../domain/tables/onboardings.js";
import type { Lake } from "../lake.js";
import { readTables } from "../query/query-views.js";
import type { SqlRow } from "../sql/duckdb-session.js";
import { textOf } from "../sql/duckdb-values.js";
import { LATEST_OF_A_LINE, onboardingEvents, onboardings } from "../tables/onboardings.js";

const OWN = `select * from onboardings where batch_id = $1 and line between $2 and $3 ${LATEST_OF_A_LINE}`;

// A row that was cancelled before anything was posted is no outcome of its key.
const OTHERS = `with wanted as (select unnest(string_split($1, ',')) as row_key),
  posted as (
    select distinct row_key, batch_id, line, attempt from onboarding_events
    semi join wanted using (row_key) where batch_id <> $2
  )
  select posted.row_key, onboardings.* from onboardings join posted using (batch_id, line, attempt)
  where status <> 'cancelled' or onboarding_id is not null
  qualify row_number() over (
    partition by posted.row_key
    order by coalesce(settled_at, started_at) desc nulls last, attempt desc, version desc
  ) = 1`;

/** In their `own` batch by line, and in all `others` by row key. */
export async function earlierOutcomes(
  lake: Lake,
  batchId: string,
  { from, to }: { readonly from: number; readonly to: number },
  rowKeys: readonly string[],
) {
  return readTables(lake, [onboardings, onboardingEvents], async (sql) => {
    const own = await sql.rows(OWN, [batchId, from, to]);
    const others = await sql.rows(OTHERS, [rowKeys.join(","), batchId]);
    return {
      own: new Map(own.map((row) => [Number(row.line), outcomeRow(row)])),
      others: new Map(others.map((row) => [String(row.row_key), outcomeRow(row)])),
    };
  });
}

function outcomeRow(row: SqlRow): OutcomeRow {
  const values = OUTCOME_COLUMNS.map(({ name, type }) => {
    const value = row[name] ?? null;
    const isNumber = value !== null && (type === "BIGINT" || type === "INTEGER");
    return [name, isNumber ? Number(value) : value];
  });
  return Object.fromEntries(values) as OutcomeRow;
}

interface EventSubject {
  readonly fpId: string | null;
  readonly externalId: string | null;
  readonly onboardingId: string | null;
}

interface OnboardedCustomer extends EventSubject {
  readonly playbookKey: string;
}

export async function onboardedCustomers(
  lake: Lake,
  subjects: readonly EventSubject[],
): Promise<OnboardedCustomer[]> {
  const ids = subjects.flatMap((subject) => idsOf(subject).filter((id) => id !== null));
  return readTables(lake, [onboardings], async (sql) => {
    const rows = await sql.rows(
      `with wanted as (select unnest(from_json($1, '["VARCHAR"]')) as id)
       select distinct playbook_key, coalesce(fp_id, fp_bid) as fp_id, external_id, onboarding_id from onboardings
       where coalesce(fp_id, fp_bid) in (from wanted) or external_id in (from wanted) or onboarding_id in (from wanted)`,
      [JSON.stringify(ids)],
    );
    return rows.map((row) => ({
      playbookKey: String(row.playbook_key),
      fpId: textOf(row.fp_id),
      externalId: textOf(row.external_id),
      onboardingId: textOf(row.onboarding_id),
    }));
  });
}

export function isAbout(subject: EventSubject, customer: OnboardedCustomer): boolean {
  const ours = idsOf(customer);
  return idsOf(subject).some((id, at) => id !== null && id === ours[at]);
}

function idsOf({ fpId, externalId, onboardingId }: EventSubject): (string | null)[] {
  return [fpId, externalId, onboardingId];
}
