import type { Lake } from "../lake.js";
import { readTables } from "../query/query-views.js";
import { textOf } from "../sql/duckdb-values.js";
import { onboardings } from "../tables/onboardings.js";

interface EventSubject {
  readonly fpId: string | null;
  readonly externalId: string | null;
  readonly onboardingId: string | null;
}

interface OnboardedCustomer extends EventSubject {
  readonly playbookKey: string;
}

/** The customers in `onboardings` that any of some events may be about. */
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
