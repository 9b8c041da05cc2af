/**
 * The fewest days for which files stay that are not live: a run that was interrupted may commit what it wrote up to three
 * days before.
 */
export const LEAST_RETAINED_DAYS = 7;

/** Records that a rule of `nightledger.yaml` may end (docs/run/operate.md, "Retention"). */
export const RECORD_CLASSES = ["cip-identity", "cip-results", "transactions"] as const;
export type RecordClass = (typeof RECORD_CLASSES)[number];

/** For how many years records are kept; those of a class without a rule stay. */
export type RetentionRules = { readonly [record in RecordClass]?: number | undefined };

/** Rows whose time is over. */
export interface ExpiredRows {
  readonly class: RecordClass;
  /** The last day, as ISO says it, whose records have been kept long enough; null where no run has heard the time from the service. */
  readonly until: string | null;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** Why rows of the feed stay although their time is over: of their certificates, something is wrong. */
  readonly unproved?: string;
}

/** The same day so many years later; March 1 where there is no February 29. */
export function yearsLater(day: string, years: number): string {
  const year = String(Number(day.slice(0, 4)) + years).padStart(4, "0");
  const at = new Date(`${year}-${day.slice(5, 7)}-01T00:00:00Z`);
  at.setUTCDate(Number(day.slice(8, 10)));
  return at.toISOString().slice(0, 10);
}

/** The last day that {@link yearsLater} takes to `day`, or to one before it. */
export function yearsEarlier(day: string, years: number): string {
  const same = yearsLater(day, -years);
  return yearsLater(same, years) > day ? dayBefore(same) : same;
}

function dayBefore(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - 1);
  return at.toISOString().slice(0, 10);
}
