import type { z } from "zod";
import type { cipReportSchema } from "../../api/schemas/cip-report.js";

/** A report as the service gave it, its texts untouched. */
export type CipReport = z.output<typeof cipReportSchema>;

/** Whom an export is about: what the roster says of a user, frozen before the first call. */
export interface CipSubject {
  readonly fpId: string;
  readonly externalId: string | null;
  /** As the institution rates the customer, such as `high`. */
  readonly risk: string | null;
  /** ISO day; null while the account is open. */
  readonly accountClosedOn: string | null;
  /** Null where the row that says it is wrong. */
  readonly legalHold: boolean | null;
}

/** One user of an export, and what became of it. */
export interface CipMember extends CipSubject {
  readonly status: "exported" | "failed" | "excluded";
  /** Why there is no report. */
  readonly reason: string | null;
  /** What to do about it. */
  readonly action: string | null;
  /** How often the service was asked. */
  readonly asked: number;
  /** ISO instant of the answer. */
  readonly askedAt: string | null;
  /** There exactly where it was exported. */
  readonly report: CipReport | null;
}
