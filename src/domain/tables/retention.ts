/** Days that dead files stay: an interrupted run may commit files from three days ago. */
export const LEAST_RETAINED_DAYS = 7;

/** Records with a rule of `nightledger.yaml` (docs/run/operate.md, "Retention"). */
export const RECORD_CLASSES = ["cip-identity", "cip-results", "transactions"] as const;
export type RecordClass = (typeof RECORD_CLASSES)[number];

/** Years; a class without a rule is kept. */
export type RetentionRules = { readonly [record in RecordClass]?: number | undefined };

export interface ExpiredRows {
  readonly class: RecordClass;
  /** The last day whose records are old enough; null where no run has heard the service's time. */
  readonly until: string | null;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  /** Why expired rows of the feed stay: their certificates do not hold. */
  readonly unproved?: string;
}

/** March 1 where there is no February 29. */
export function yearsLater(day: string, years: number): string {
  const year = String(Number(day.slice(0, 4)) + years).padStart(4, "0");
  const at = new Date(`${year}-${day.slice(5, 7)}-01T00:00:00Z`);
  at.setUTCDate(Number(day.slice(8, 10)));
  return at.toISOString().slice(0, 10);
}

/** The last day that {@link yearsLater} takes to `day` or before it. */
export function yearsEarlier(day: string, years: number): string {
  const same = yearsLater(day, -years);
  return yearsLater(same, years) > day ? dayBefore(same) : same;
}

function dayBefore(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - 1);
  return at.toISOString().slice(0, 10);
}
